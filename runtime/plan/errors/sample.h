// sample.h - the q at which a run is compared with its reference.
#pragma once
#include "runtime/plan/grid/layout.h"
#include <complex>
#include <cstdint>
#include <vector>

namespace facet::runtime {

/// One q of a sample.
struct Sampled {
  std::int64_t at = 0; // index in grid order
  /// The largest |F| of its band comes no later in the sample; false for some that are there only
  /// as the largest of another's band.
  bool judged = true;
};

/// About `count` different q, the telling ones first: where |F| is largest and smallest, smallest
/// and largest |q|, smallest and largest |Im q.z|, both sides of a tile edge, the end of the grid;
/// the rest random by `seed`. Where q.z is complex each is preceded by the largest |F| of its band
/// (bands.h, with the mesh's `radius`, nm), and random ones come two a band. Indices in `skip`
/// (sorted) are left out.
std::vector<Sampled> chooseSample(const Grid &grid, const Layout &layout,
                                  const std::vector<std::complex<double>> &f, double radius,
                                  const std::vector<std::int64_t> &skip, std::uint64_t seed,
                                  std::int64_t count);

} // namespace facet::runtime
