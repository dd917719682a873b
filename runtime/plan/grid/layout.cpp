// layout.cpp - a grid as a sum kernel wants it: padded axes, tiles, chunks of records.
#include "runtime/plan/grid/layout.h"
#include "runtime/plan/grid/cut.h"
#include <algorithm>

namespace facet::runtime {
namespace {

// A call of a kernel should take about 0.1 to 0.3 ms, long against the call, short against a run,
// with sums and records that stay in the cache: 512 points of a list, 4096 of a product grid. There
// a tile has 16 rows if the grid has them: kernels hold 2, 4 or 8 rows in registers, and what
// they tabulate for a row serves the whole length of z.
constexpr std::int64_t listPoints = 512, productPoints = 4096, rows = 16;

void cutDirect(Layout &layout, const facet_variant &variant) {
  const bool points = layout.kind == FACET_POINTS;
  if (points)
    layout.tile[1] = layout.tile[2] = 1;
  // What the variant asks for is as it is; what it leaves open grows.
  std::array<bool, 3> asked{};
  for (int k = 0; k < (points ? 1 : 3); ++k)
    if (variant.tile[k] > 0) {
      asked[k] = true;
      layout.tile[k] = std::min(roundUp(variant.tile[k], variant.pad[k]), layout.padded[k]);
    }
  while (!points && !asked[1] && layout.tile[1] < rows && layout.tile[1] < layout.padded[1])
    layout.tile[1] *= 2;
  const std::int64_t tilePoints = points ? listPoints : productPoints;
  for (const int k : {2, 1, 0})
    while (!asked[k] && layout.tile[0] * layout.tile[1] * layout.tile[2] * 2 <= tilePoints &&
           layout.tile[k] < layout.padded[k])
      layout.tile[k] *= 2;
}

// A call of a separable sum fills tables of its rows (x, y) and of its z before it joins them, so
// tiles are as large as the tables stay in the second cache: of 512 x 512 they cost 3% of the time,
// of 256 x 256 twice that. They are cut, evenly and the longer side first, to keep every thread
// busy, but not below 64, since the tables would then cost a quarter. What a variant asks for is
// the most instead of 512.
void cutSeparable(Layout &layout, const facet_variant &variant, int threads, bool apart) {
  constexpr std::int64_t most = 512, least = 64; // a vector of 64 bytes, four times: no less
  const std::int64_t mostRows = variant.tile[1] > 0 ? variant.tile[1] : most;
  const std::int64_t mostZ = variant.tile[2] > 0 ? variant.tile[2] : most;
  const std::int64_t enough = threads > 1 ? 2 * threads : 1;
  std::array<std::int64_t, 3> cuts{apart ? layout.padded[0] : 1, 1, 1};
  // Cuts between whole bands of rows and lines of z, of whatever variant (2 to 4 rows, 1 to 4
  // vectors): a q then has the same place in them wherever its tile begins.
  const auto tileFor = [&](int k) {
    const std::int64_t unit =
        k == 0   ? 1
        : k == 1 ? std::min<std::int64_t>(24, mostRows)
                 : std::min<std::int64_t>(4 * variant.pad[2], roundUp(mostZ, variant.pad[2]));
    return std::min(roundUp(quotientUp(layout.padded[k], cuts[k]), unit), layout.padded[k]);
  };
  for (;;) {
    for (int k = 0; k < 3; ++k) {
      layout.tile[k] = tileFor(k);
      layout.tiles[k] = quotientUp(layout.padded[k], layout.tile[k]);
    }
    const std::int64_t rowCount = layout.tile[0] * layout.tile[1], z = layout.tile[2];
    const bool tooMany = rowCount > mostRows || z > mostZ;
    if (!tooMany && (layout.tileCount() >= enough || std::max(rowCount, z) <= least))
      return;
    // Which rows of several x share a band must not depend on the threads: these cut z alone.
    const bool joined = !apart && layout.padded[0] > 1;
    if (joined && !tooMany && z <= least)
      return;
    // The side that is the most beyond what it may be, else the longer one.
    const bool cutRows = tooMany ? rowCount * mostZ > z * mostRows : rowCount > z && !joined;
    const int k = !cutRows ? 2 : layout.tile[0] > 1 ? 0 : 1;
    if (++cuts[k] > layout.padded[k]) // a unit is the least there is
      return;
  }
}

void cutTiles(Layout &layout, const facet_variant &variant, int threads, bool apart) {
  if (variant.algorithm == FACET_SEPARABLE) {
    cutSeparable(layout, variant, threads, apart);
    return;
  }
  for (int k = 0; k < 3; ++k)
    layout.tile[k] = variant.pad[k];
  cutDirect(layout, variant);
  for (int k = 0; k < 3; ++k)
    layout.tiles[k] = quotientUp(layout.padded[k], layout.tile[k]);
}

void fill(AlignedVector<double> &to, const std::vector<double> &from, std::int64_t padded) {
  to.assign(from.begin(), from.end());
  to.resize(static_cast<std::size_t>(padded), from.back());
}

/// Component k of a product grid at each of its points.
std::vector<double> spread(const std::vector<double> &axis, const std::array<std::int64_t, 3> &n,
                           int k) {
  std::vector<double> all;
  all.reserve(static_cast<std::size_t>(n[0] * n[1] * n[2]));
  std::array<std::int64_t, 3> i{};
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

bool cheaperAsPoints(const Grid &grid, const facet_variant &product) {
  // A point of a list costs more than one of a product: two more products for the phase of each.
  constexpr double pointCost = 1.3;
  double padded = 1;
  for (int k = 0; k < 3; ++k)
    padded *= static_cast<double>(roundUp(grid.extents()[k], product.pad[k]));
  return padded > pointCost * static_cast<double>(roundUp(grid.size(), 16));
}

void setChunks(Layout &layout, const facet_variant &variant, std::int64_t records) {
  if (variant.interface_ != FACET_CPU)
    return; // a call has threads enough
  constexpr std::int64_t wanted = 64, leastBlocks = 4;
  const std::int64_t blocks = quotientUp(records, variant.t_block);
  // Tiles of separable sums follow the threads, chunks must not: points stand for tiles.
  const std::int64_t tiles = variant.algorithm == FACET_SEPARABLE
                                 ? quotientUp(layout.paddedSize(), productPoints / 4)
                                 : layout.tileCount();
  layout.chunks = std::clamp<std::int64_t>(quotientUp(wanted, tiles), 1,
                                           std::max<std::int64_t>(blocks / leastBlocks, 1));
}

Layout tilesOf(const std::array<std::int64_t, 3> &extents, const facet_variant &variant,
               int threads, bool apart) {
  Layout layout;
  layout.kind = static_cast<facet_grid_kind>(variant.grid);
  layout.n = extents;
  for (int k = 0; k < 3; ++k)
    layout.padded[k] =
        layout.kind == FACET_POINTS && k > 0 ? 1 : roundUp(layout.n[k], variant.pad[k]);
  layout.block = variant.t_block;
  if (variant.interface_ == FACET_CPU)
    cutTiles(layout, variant, threads, apart);
  return layout;
}

Layout tilesOf(const Grid &grid, const facet_variant &variant, int threads, bool apart) {
  return tilesOf(isSpread(grid, variant) ? std::array<std::int64_t, 3>{grid.size(), 1, 1}
                                         : grid.extents(),
                 variant, threads, apart);
}

Layout layOut(const Grid &grid, const facet_variant &variant, const std::int32_t complexQ[3],
              std::int64_t records, int threads, bool apart) {
  Layout layout = tilesOf(grid, variant, threads, apart);
  const bool spreadOut = isSpread(grid, variant);
  const std::array<std::int64_t, 3> extents = grid.extents();
  for (int k = 0; k < 3; ++k) {
    const Axis &axis = grid.axes[k];
    const std::int64_t length = layout.kind == FACET_POINTS ? layout.padded[0] : layout.padded[k];
    fill(layout.re[k], spreadOut ? spread(axis.re, extents, k) : axis.re, length);
    if (variant.q != FACET_COMPLEX_Q || complexQ[k] == 0)
      continue;
    if (axis.im.empty())
      layout.im[k].assign(static_cast<std::size_t>(length), 0.0);
    else
      fill(layout.im[k], spreadOut ? spread(axis.im, extents, k) : axis.im, length);
  }
  setChunks(layout, variant, records);
  return layout;
}

} // namespace facet::runtime
