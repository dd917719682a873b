// contraction.cpp - builds the stages of a device's separable sum.
#include "gpu.h"

namespace facet::lower::gpu {

Halide::Func contraction(const SumKernel &sum, const Inputs &) {
  throw ir::Error{"no separable sum is made for target " + sum.target, {}};
}

} // namespace facet::lower::gpu
