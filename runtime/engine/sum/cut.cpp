// cut.cpp - boxes of a grid; how large units, tiles and blocks of records are.
#include "runtime/engine/sum/cut.h"
#include "runtime/engine/system/budget.h"
#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <numeric>

namespace facet::runtime {
namespace {

std::int64_t blockOf(std::int64_t wanted, std::int64_t records, const CutRules &rules) {
  return std::min(roundUp(std::max<std::int64_t>(wanted, 1), rules.block), records);
}

std::int64_t roundedTo(std::int64_t wanted, std::int64_t extent, std::int64_t unit) {
  return std::min(roundUp(std::clamp<std::int64_t>(wanted, 1, extent), unit), extent);
}

/// How many q a unit of separable sums should have, since tables of small units cost more. Units
/// stay an eighth of the grid, for threads and ranks to share, and short, for a run to stop between
/// them.
std::int64_t leastOfTables(const Grid &grid, std::int64_t records) {
  constexpr std::int64_t wanted = 384 * 256;
  constexpr double mostWork = 2e10; // triangle-q-points
  return std::min({wanted, grid.size() / 8,
                   static_cast<std::int64_t>(mostWork / static_cast<double>(records))});
}

// A call of a kernel should take about 0.1 to 0.3 ms, long against the call, short against a run.
// Its sums and records should stay in the cache: 512 points of a list, 4096 of a product grid.
// There a tile has 16 rows if the grid has them: kernels hold 2, 4 or 8 rows in registers, and what
// they tabulate for a row serves the whole length of z.
constexpr std::int64_t listPoints = 512, rows = 16;

/// Sizes that the variant sets are taken as they are; sizes that it leaves open grow.
Extents tileOfDirect(const Extents &padded, const facet_variant &variant) {
  const bool points = variant.grid == FACET_POINTS;
  Extents tile{variant.pad[0], points ? 1 : variant.pad[1], points ? 1 : variant.pad[2]};
  std::array<bool, 3> asked{};
  for (std::size_t k = 0; k < (points ? 1 : 3); ++k)
    if (variant.tile[k] > 0) {
      asked[k] = true;
      tile[k] = std::min(roundUp(variant.tile[k], variant.pad[k]), padded[k]);
    }
  while (!points && !asked[1] && tile[1] < rows && tile[1] < padded[1])
    tile[1] *= 2;
  for (const std::size_t k : {2U, 1U, 0U})
    while (!asked[k] && volume(tile) * 2 <= (points ? listPoints : productPoints) &&
           tile[k] < padded[k])
      tile[k] *= 2;
  return tile;
}

// A call of a separable sum fills tables of its rows (x, y) and of its z before it joins them. So
// tiles are as large as their tables fit the second cache: tables of 512 x 512 cost 3% of the time,
// of 256 x 256 twice that. Tiles are cut, evenly and the longer side first, to keep every thread
// busy, but not below 64, since the tables would then cost a quarter. A size that the variant sets
// is the most instead of 512.
Extents tileOfSeparable(const Extents &padded, const facet_variant &variant, int threads,
                        bool apart) {
  constexpr std::int64_t most = 512, least = 64; // four vectors of 64 bytes in f32
  const std::int64_t mostRows = variant.tile[1] > 0 ? variant.tile[1] : most;
  const std::int64_t mostZ = variant.tile[2] > 0 ? variant.tile[2] : most;
  const std::int64_t enough = threads > 1 ? 2 * threads : 1;
  // Cuts lie between whole bands of rows and lines of z, of whatever variant (2 to 4 rows, 1 to 4
  // vectors): a q then has the same place in them wherever its tile begins.
  const Extents unit{1, std::min<std::int64_t>(24, mostRows),
                     std::min<std::int64_t>(4 * variant.pad[2], roundUp(mostZ, variant.pad[2]))};
  // Which rows of several x share a band must not depend on the threads, so threads cut z alone.
  const bool joined = !apart && padded[0] > 1;
  Extents cuts{apart ? padded[0] : 1, 1, 1}, tile{};
  for (;;) {
    for (std::size_t k = 0; k < 3; ++k)
      tile[k] = roundedTo(quotientUp(padded[k], cuts[k]), padded[k], unit[k]);
    const std::int64_t rowCount = tile[0] * tile[1], z = tile[2];
    const bool tooMany = rowCount > mostRows || z > mostZ;
    if (!tooMany && (Cutter(padded, tile).count() >= enough || std::max(rowCount, z) <= least))
      return tile;
    if (joined && !tooMany && z <= least)
      return tile;
    // The side that exceeds its limit the most is cut, else the longer one.
    const bool cutRows = tooMany ? rowCount * mostZ > z * mostRows : rowCount > z && !joined;
    const std::size_t k = !cutRows ? 2 : tile[0] > 1 ? 0 : 1;
    if (++cuts[k] > padded[k]) // a unit is the least there is
      return tile;
  }
}

} // namespace

std::string show(const Cut &cut) {
  return fmt::format("{} x {} x {} q, {} records", cut.tile[0], cut.tile[1], cut.tile[2],
                     cut.records);
}

Box Cutter::at(std::int64_t k) const {
  return at(Extents{k / along_[2] / along_[1], k / along_[2] % along_[1], k % along_[2]});
}

Box Cutter::at(const Extents &places) const {
  Box box;
  for (std::size_t k = 0; k < 3; ++k) {
    box.begin[k] = places[k] * tile_[k];
    box.end[k] = std::min(extents_[k], box.begin[k] + tile_[k]);
  }
  return box;
}

Grid unitGrid(const Grid &grid, const Box &unit) {
  Grid part;
  part.kind = grid.kind;
  for (std::size_t k = 0; k < 3; ++k)
    part.first[k] = grid.first[k] + unit.begin[k];
  for (std::size_t k = 0; k < 3; ++k) {
    const std::size_t at = grid.kind == Grid::Kind::Points ? 0 : k;
    const auto take = [&](const std::vector<double> &from, std::vector<double> &to) {
      if (!from.empty())
        to.assign(from.begin() + unit.begin[at], from.begin() + unit.end[at]);
    };
    take(grid.axes[k].re, part.axes[k].re);
    take(grid.axes[k].im, part.axes[k].im);
  }
  return part;
}

Hyperblock halve(Hyperblock &block, const std::int32_t pad[3]) {
  std::size_t longest = 0;
  for (std::size_t k = 1; k < 3; ++k)
    if (block.extent(k) / pad[k] > block.extent(longest) / pad[longest])
      longest = k;
  Hyperblock second = block;
  second.begin[longest] += roundUp(quotientUp(block.extent(longest), 2), pad[longest]);
  block.end[longest] = std::min(second.begin[longest], block.end[longest]);
  second.begin[longest] = block.end[longest];
  return second;
}

// Rows in registers are 1 to 24, vectors of z 1 to 4 (schedules/knobs.def): 48 and four pads hold
// whole numbers of all of them.
CutRules cutRules(facet_algorithm algorithm, const facet_variant *variant, const Grid &grid,
                  const std::int64_t fixed[3], std::int64_t records) {
  CutRules rules;
  const bool product = grid.kind == Grid::Kind::Product;
  for (std::size_t k = 0; k < 3; ++k)
    rules.whole[k] = product && fixed[k] != 0;
  if (isImage(grid))
    rules.unit[0] = grid.imageColumns;
  if (variant == nullptr) {
    rules.records = 0;
    rules.least = std::max<std::int64_t>(std::int64_t{1} << 19, 2 * records);
    rules.most = rules.least;
    return rules;
  }
  rules.block = variant->t_block;
  if (product && variant->grid == FACET_PRODUCT) {
    rules.unit[1] = std::lcm<std::int64_t>(48, variant->pad[1]);
    rules.unit[2] = 4 * static_cast<std::int64_t>(variant->pad[2]);
  } else if (!product && !isImage(grid)) {
    rules.unit[0] = 512;
  }
  if (algorithm == FACET_SEPARABLE) {
    rules.least = std::max<std::int64_t>(1 << 14, leastOfTables(grid, records));
    // With two units, one may be longer by a tenth, and threads wait for it.
    rules.most = std::clamp<std::int64_t>(grid.size() / 3, rules.least, 1 << 18);
  }
  if (variant->interface_ != FACET_CPU) { // streams and calls cut them further
    rules.most = rules.least = std::int64_t{1} << 22;
    rules.records = 0;
  }
  return rules;
}

Extents halved(const Extents &extents, const CutRules &rules, std::int64_t most, std::int64_t least,
               const std::array<bool, 3> &kept) {
  Extents tile = extents;
  while (volume(tile) > most) {
    const auto half = [&](std::size_t k) {
      return roundedTo(quotientUp(tile[k], 2), extents[k], rules.unit[k]);
    };
    const auto free = [&](std::size_t k) {
      return !kept[k] && !rules.whole[k] && half(k) < tile[k] &&
             volume(tile) / tile[k] * half(k) >= least;
    };
    const std::size_t longer = free(1) && (tile[1] > tile[2] || !free(2)) ? 1 : 2;
    const std::size_t k = free(0) ? 0 : longer;
    if (!free(k))
      break;
    tile[k] = half(k);
  }
  return tile;
}

Cut defaultCut(const Grid &grid, std::int64_t records, const CutRules &rules) {
  const auto most =
      std::clamp(static_cast<std::int64_t>(rules.work /
                                           static_cast<double>(std::max<std::int64_t>(records, 1))),
                 rules.least, rules.most);
  return {halved(grid.extents(), rules, most, rules.least / 2),
          blockOf(rules.records > 0 ? rules.records : records, records, rules)};
}

Cut cutFrom(const std::string &text, const Grid &grid, std::int64_t records, const CutRules &rules,
            const Cut *otherwise) {
  Cut cut = otherwise != nullptr ? *otherwise : defaultCut(grid, records, rules);
  const Extents n = grid.extents();
  const char *at = text.data(), *end = at + text.size();
  for (std::size_t k = 0; k < 4 && at < end; ++k) {
    std::int64_t wanted = 0;
    const auto [next, error] = std::from_chars(at, end, wanted);
    if (error != std::errc() || wanted < 0 || (next < end && *next != ',') ||
        (k == 3 && next < end))
      throw Error(fmt::format("cut '{}'", text), "is not what a cut is given by",
                  "write hx,hy,hz,ht: q of a unit along each axis, records of a block; 0 for the "
                  "default");
    at = next < end ? next + 1 : end;
    if (wanted > 0 && k == 3)
      cut.records = blockOf(std::min(wanted, records), records, rules);
    else if (wanted > 0 && !rules.whole[k])
      cut.tile[k] = roundedTo(wanted, n[k], rules.unit[k]);
  }
  return cut;
}

Extents tileOf(const Extents &padded, const facet_variant &variant, int threads, bool apart) {
  return variant.algorithm == FACET_SEPARABLE ? tileOfSeparable(padded, variant, threads, apart)
                                              : tileOfDirect(padded, variant);
}

Extents tileOfDevice(const Extents &padded, const facet_variant &variant, const DeviceRoom &room) {
  const auto all = static_cast<double>(volume(padded));
  const double queue = room.bytes / room.streams;
  const double fits = std::min(queue / 2 / (bytes::ofNumber * bytes::realSums(variant)),
                               bytes::largestBuffer / bytes::ofNumber);
  const double overlaps =
      std::max(all / (3.0 * room.streams), static_cast<double>(leastHyperblock));
  const auto most = static_cast<std::int64_t>(std::max(1.0, std::min(fits, overlaps)));
  Extents tile = padded;
  for (std::size_t k = 0; k < 3; ++k) {
    const std::int64_t pad = variant.pad[k];
    const std::int64_t others = volume(tile) / tile[k];
    std::int64_t longest = std::clamp<std::int64_t>(most / others / pad * pad, pad, tile[k]);
    if (variant.tile[k] > 0)
      longest = std::min(longest, roundUp(variant.tile[k], pad));
    // Parts are even: a last tile that is a strip would leave the device idle.
    const std::int64_t parts = quotientUp(padded[k], longest);
    tile[k] = roundUp(quotientUp(padded[k], parts), pad);
  }
  return tile;
}

std::int64_t recordsPerCall(const facet_variant &variant, const DeviceRoom &room, double tables) {
  constexpr double least = 64; // fewer, and a call would be all launch
  const double queue = room.bytes / room.streams;
  const double most =
      std::min(queue / 2, bytes::largestBuffer) / std::max(1.0, bytes::ofPacked(variant) + tables);
  return std::min<std::int64_t>(variant.t_block, static_cast<std::int64_t>(std::max(most, least)));
}

} // namespace facet::runtime
