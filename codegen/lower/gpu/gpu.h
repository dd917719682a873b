// gpu.h - sums of devices: the same values as on CPUs, in stages that blocks and threads take.
#pragma once
#include "codegen/lower/lower.h"
#include "codegen/lower/sum_exprs.h"
#include "schedules/stages.h"
#include "schedules/targets.h"

namespace facet::lower::gpu {

/// Bounds of tiles: what a block takes of x, y and z, or of points.
std::array<int, 3> pad(const SumKernel &sum);
/// facetc's own `emit` for devices. Device: the code of the device alone.
void emit(const SumKernel &sum, Form form, const std::string &path);
/// Halide's runtime for all of these devices, as an object to link into a library.
void emitRuntime(const std::vector<const schedules::TargetInfo *> &devices,
                 const std::string &path);

/// Stages of a direct sum (direct.cpp) and of a separable one (contraction.cpp), scheduled by
/// schedules/gpu.cpp. Returns the output.
Halide::Func direct(const SumKernel &sum, const Inputs &inputs);
Halide::Func contraction(const SumKernel &sum, const Inputs &inputs);

} // namespace facet::lower::gpu
