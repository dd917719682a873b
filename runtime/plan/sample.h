// sample.h - the q at which a run is compared with its reference.
#pragma once
#include "runtime/plan/layout.h"
#include <complex>
#include <cstdint>
#include <vector>

namespace facet::runtime {

/// Up to `count` different indices of q, the telling ones first: where |F| is largest and smallest,
/// smallest and largest |q|, largest |Im q.z|, both sides of a tile edge, the end of the grid;
/// the rest random by `seed`. Indices in `skip` (sorted) are left out.
std::vector<std::int64_t> chooseSample(const Grid &grid, const Layout &layout,
                                       const std::vector<std::complex<double>> &f,
                                       const std::vector<std::int64_t> &skip, std::uint64_t seed,
                                       std::int64_t count);

} // namespace facet::runtime
