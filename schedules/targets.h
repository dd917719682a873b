// targets.h - the targets of targets.def, and which this machine runs. Knows nothing of Halide.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace facet::schedules {

/// A row of targets.def. `features`: names of features.def, separated by
/// spaces. A device has "opencl" or "cuda" as its architecture, no vectors, and in `halide` the
/// features that are added to the host's.
struct TargetInfo {
  std::string_view name, architecture;
  int vectorBytes, registers; // of a vector register, and how many
  std::string_view halide, features, doc;
  int capability = 0;  // CUDA: 80 is sm_80
  int sharedBytes = 0; // of a device: shared (OpenCL: local) memory a block may have
};
/// CPUs first, then devices.
const std::vector<TargetInfo> &targetTable();
/// null if there is no such target.
const TargetInfo *findTarget(std::string_view name);
/// Its Halide target string; empty if there is none.
std::string_view halideTarget(std::string_view name);

/// What this program was compiled for: "x86_64", "aarch64", or "" if facet has no target.
std::string_view hostArchitecture();
/// Whether it is a CPU of this machine's architecture: a library may hold it.
bool isOfHost(const TargetInfo &target);
/// The first CPU of this machine's architecture, which all of them can run: whom the host's part of
/// a device's code is for.
const TargetInfo &baseline();
/// Whether it is no CPU: a library for any machine may hold it.
bool isDevice(const TargetInfo &target);
/// Features that this CPU lacks, for a target of its architecture.
std::vector<std::string> missingFeatures(const TargetInfo &target);
bool runsHere(const TargetInfo &target);

} // namespace facet::schedules
