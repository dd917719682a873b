// emit.cpp - a device's sum in any form, and Halide's runtime for it.
#include "gpu.h"

namespace facet::lower::gpu {

std::array<int, 3> pad(const SumKernel &sum) {
  const schedules::Knobs &k = sum.knobs;
  if (sum.kernel.grid == ir::GridKind::Points)
    return {k.blockZ * k.tileZ, 1, 1};
  return {1, k.blockY * k.tileY, k.blockZ * k.tileZ};
}

void emit(const SumKernel &sum, Form, const std::string &) {
  throw ir::Error{"no code is made for target " + sum.target + " yet", {}};
}

void emitRuntime(const schedules::TargetInfo &, const std::string &) {}

} // namespace facet::lower::gpu
