// fft.h - Fourier transforms of periodic grids of which only a part is not zero, or only a part is
// wanted.
#pragma once
#include "runtime/engine/transform/nufft/transforms.h"

namespace facet::runtime {

/// Nodes of an axis, a ring: the `count` ones from `first` on; first < 0 counts from the ring's
/// end.
struct Ring {
  std::int64_t first = 0, count = 1;
};

/// grid[j] = sum over l of grid[l] e^{sign 2 pi i j.l / n}, in place, n fastest first, for `count`
/// grids one after the other. Nodes outside of `in` are taken for zero, whatever they are, and
/// those outside of `out` are left with numbers of no meaning. T: float or double.
template <class T>
void transformGrids(std::complex<T> *grids, int count, int axes,
                    const std::array<std::int64_t, 3> &n, const std::array<Ring, 3> &in,
                    const std::array<Ring, 3> &out, int sign, const NufftParallel &parallel);

} // namespace facet::runtime
