// choice.h - which variants and targets the options ask for, and how to compile them.
#pragma once
#include "codegen/driver/options/options.h"
#include "codegen/passes/passes.h"
#include "schedules/knobs.h"
#include <vector>

namespace facet::driver {

struct Choice {
  std::vector<ir::GridKind> grids;
  std::vector<bool> complexQ;
  std::vector<passes::Class> classes;
  std::vector<passes::Algorithm> algorithms;
  bool insist = false;              // on them: they were named, not all that the kernel allows
  std::vector<std::string> targets; // names of targets.def
  bool means = false;               // of the kernel: separable and nufft need nodes
  /// The variant of the stages that take a single one; separable: of product grids, nufft: as it is
  /// compiled, points in double. Throws ir::Error where several are asked for.
  passes::Variant variant() const;
  /// Likewise its target.
  const std::string &target() const;
};

/// `everything`: what is not said is all there is (a library); else one variant: the grid and q of
/// the file, f32, the best target of this CPU. Throws ir::Error for words it does not know.
Choice choose(const Options &options, const ir::Kernel &kernel, bool everything);

/// The last target of targets.def that this machine runs; empty where none.
std::string nativeTarget();

/// Where to stop and whether to check. Throws ir::Error for a pass that there is not.
passes::PipelineOptions pipelineOptions(const Options &options);

} // namespace facet::driver
