// random_kernel.h - well-typed kernels drawn at random, well-conditioned at the points of the
// check.
#pragma once
#include "codegen/ir/ir.h"
#include <cstdint>

namespace facet::passes {

/// A kernel of about `size` operations a region, from `seed` alone. At the first 8 random points,
/// with q complex and real, no value is above 10, lost in rounding, or not finite, and none is near
/// a branch; roots and moduli are of negative reals as often as of others.
ir::Kernel randomKernel(std::uint64_t seed, int size);

} // namespace facet::passes
