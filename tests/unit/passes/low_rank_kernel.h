// low_rank_kernel.h - kernels drawn at random from the family that the fast algorithms are for.
#pragma once
#include "codegen/ir/ir.h"
#include <cstdint>

namespace facet::passes {

/// A kernel from `seed` alone: a sum of weights of low rank times waves, some of them written as
/// cism1, sines, conjugates, products of two, or means. q.z is complex.
ir::Kernel lowRankKernel(std::uint64_t seed);

} // namespace facet::passes
