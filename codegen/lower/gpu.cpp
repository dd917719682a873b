// gpu.cpp - a device's sum in any form, and Halide's runtime for it.
#include "gpu.h"
#include <fmt/format.h>

namespace facet::lower::gpu {
namespace {

/// Host code is the baseline of the machine facetc runs on: it copies and launches.
Halide::Target halideTarget(const schedules::TargetInfo &target) {
  std::string host;
  for (const schedules::TargetInfo &cpu : schedules::targetTable())
    if (host.empty() && schedules::isOfHost(cpu))
      host = cpu.halide;
  return Halide::Target(fmt::format("{}-{}-user_context", host, target.halide));
}

} // namespace

std::array<int, 3> pad(const SumKernel &sum) {
  const schedules::Knobs &k = sum.knobs;
  if (sum.kernel.grid == ir::GridKind::Points)
    return {k.blockZ * k.tileZ, 1, 1};
  return {1, k.blockY * k.tileY, k.blockZ * k.tileZ};
}

void emit(const SumKernel &sum, Form form, const std::string &path) {
  if (form == Form::Asm)
    throw ir::Error{fmt::format("--emit=asm is of CPUs: for {} there is --emit=device", sum.target),
                    {}};
  const Inputs inputs(sum);
  const bool separable = sum.variant.algorithm == passes::Algorithm::Separable;
  Halide::Func output = separable ? contraction(sum, inputs) : direct(sum, inputs);
  const std::array<int, 3> unit = gpu::pad(sum);
  const bool points = sum.kernel.grid == ir::GridKind::Points;
  // Every block is full: Halide sees it by extents that are multiples.
  const auto buffers = output.output_buffers();
  for (int k = 0; k < buffers[0].dimensions(); ++k) {
    Halide::OutputImageParam first(buffers[0]);
    const int multiple = unit[static_cast<std::size_t>(points ? 0 : 2 - k)];
    first.dim(k).set_bounds(0, first.dim(k).extent() / multiple * multiple);
  }
  for (Halide::OutputImageParam buffer : buffers)
    buffer.dim(0).set_stride(1);
  compileTo(output, inputs.list(), form, sum.symbol,
            halideTarget(*schedules::findTarget(sum.target)), path);
}

} // namespace facet::lower::gpu

namespace facet::lower {

void emitDeviceRuntime(const std::vector<const schedules::TargetInfo *> &devices,
                       const std::string &path) {
  Halide::Target all = gpu::halideTarget(*devices.front());
  for (const schedules::TargetInfo *device : devices)
    for (const Halide::Target::Feature feature :
         {Halide::Target::OpenCL, Halide::Target::CLDoubles, Halide::Target::CUDA})
      if (gpu::halideTarget(*device).has_feature(feature))
        all.set_feature(feature);
  Halide::compile_standalone_runtime(path, all);
}

} // namespace facet::lower
