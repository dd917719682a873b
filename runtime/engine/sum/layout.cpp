// layout.cpp - a grid as a sum kernel wants it: padded axes, tiles, chunks of records.
#include "runtime/engine/sum/layout.h"
#include <algorithm>

namespace facet::runtime {
namespace {

AlignedVector<double> padded(const std::vector<double> &from, std::int64_t length) {
  AlignedVector<double> to(from.begin(), from.end());
  to.resize(static_cast<std::size_t>(length), from.back());
  return to;
}

/// Component k of a product grid at each of its points.
std::vector<double> spread(const std::vector<double> &axis, const Extents &n, std::size_t k) {
  std::vector<double> all;
  all.reserve(static_cast<std::size_t>(volume(n)));
  Extents i{};
  for (i[0] = 0; i[0] < n[0]; ++i[0])
    for (i[1] = 0; i[1] < n[1]; ++i[1])
      for (i[2] = 0; i[2] < n[2]; ++i[2])
        all.push_back(axis[static_cast<std::size_t>(i[k])]);
  return all;
}

/// Whether a product runs as the list of its points.
bool isSpread(const Grid &grid, const facet_variant &variant) {
  return variant.grid == FACET_POINTS && grid.kind == Grid::Kind::Product;
}

} // namespace

Layout tilesOf(const Extents &extents, const facet_variant &variant, int threads, bool apart) {
  Layout layout;
  layout.kind = static_cast<facet_grid_kind>(variant.grid);
  layout.n = extents;
  for (std::size_t k = 0; k < 3; ++k)
    layout.padded[k] =
        layout.kind == FACET_POINTS && k > 0 ? 1 : roundUp(layout.n[k], variant.pad[k]);
  layout.block = variant.t_block;
  if (variant.interface_ == FACET_CPU)
    layout.tile = tileOf(layout.padded, variant, threads, apart);
  return layout;
}

Layout tilesOf(const Grid &grid, const facet_variant &variant, int threads, bool apart) {
  return tilesOf(isSpread(grid, variant) ? Extents{grid.size(), 1, 1} : grid.extents(), variant,
                 threads, apart);
}

std::int64_t chunksOf(const Layout &layout, const facet_variant &variant, std::int64_t records) {
  if (variant.interface_ != FACET_CPU)
    return 1; // a call has threads enough
  constexpr std::int64_t wanted = 64, leastBlocks = 4;
  const std::int64_t blocks = quotientUp(records, variant.t_block);
  // Tiles of separable sums depend on the threads, and chunks must not: points stand for tiles.
  const std::int64_t tiles = variant.algorithm == FACET_SEPARABLE
                                 ? quotientUp(layout.paddedSize(), productPoints / 4)
                                 : layout.tileCount();
  return std::clamp<std::int64_t>(quotientUp(wanted, tiles), 1,
                                  std::max<std::int64_t>(blocks / leastBlocks, 1));
}

Layout layOut(const Grid &grid, const facet_variant &variant, const std::int32_t complexQ[3],
              std::int64_t records, int threads, bool apart) {
  Layout layout = tilesOf(grid, variant, threads, apart);
  const bool spreadOut = isSpread(grid, variant);
  const auto values = [&](const std::vector<double> &axis, std::size_t k) {
    const std::int64_t length = layout.kind == FACET_POINTS ? layout.padded[0] : layout.padded[k];
    return padded(spreadOut ? spread(axis, grid.extents(), k) : axis, length);
  };
  for (std::size_t k = 0; k < 3; ++k) {
    const Axis &axis = grid.axes[k];
    layout.re[k] = values(axis.re, k);
    if (variant.q == FACET_COMPLEX_Q && complexQ[k] != 0)
      layout.im[k] =
          axis.im.empty() ? AlignedVector<double>(layout.re[k].size(), 0.0) : values(axis.im, k);
  }
  layout.chunks = chunksOf(layout, variant, records);
  return layout;
}

} // namespace facet::runtime
