// cut.cpp - units of a grid; how large they and the blocks of records are.
#include "runtime/plan/grid/cut.h"
#include <algorithm>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <numeric>

namespace facet::runtime {

namespace {

std::int64_t blockOf(std::int64_t wanted, std::int64_t records, const CutRules &rules) {
  return std::min(roundUp(std::max<std::int64_t>(wanted, 1), rules.block), records);
}

std::int64_t tileOf(std::int64_t wanted, std::int64_t extent, std::int64_t unit) {
  const std::int64_t tile = roundUp(std::clamp<std::int64_t>(wanted, 1, extent), unit);
  return tile >= extent ? extent : tile;
}

/// q that a unit of separable sums should have, since tables of small ones cost more. They stay an
/// eighth of the grid, for threads and ranks to share, and short, for a run to stop between them.
std::int64_t leastOfTables(const Grid &grid, std::int64_t records) {
  constexpr std::int64_t wanted = 384 * 256;
  constexpr double mostWork = 2e10; // triangle-q-points
  return std::min({wanted, grid.size() / 8,
                   static_cast<std::int64_t>(mostWork / static_cast<double>(records))});
}

} // namespace

Units::Units(const std::array<std::int64_t, 3> &extents, const Cut &cut)
    : extents_(extents), tile_(cut.tile), n_() {
  for (std::size_t k = 0; k < 3; ++k)
    n_[k] = quotientUp(extents_[k], tile_[k]);
}

Box boxAt(const std::array<std::int64_t, 3> &extents, const std::array<std::int64_t, 3> &tile,
          std::int64_t number) {
  Box box;
  for (const std::size_t k : {2U, 1U, 0U}) {
    const std::int64_t along = quotientUp(extents[k], tile[k]);
    box.begin[k] = number % along * tile[k];
    box.end[k] = std::min(extents[k], box.begin[k] + tile[k]);
    number /= along;
  }
  return box;
}

Grid unitGrid(const Grid &grid, const Unit &unit) {
  Grid part;
  part.kind = grid.kind;
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
  if (algorithm == FACET_NUFFT) {
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
    rules.most = 1 << 18;
  }
  if (variant->interface_ != FACET_CPU) { // streams and calls cut them further
    rules.most = rules.least = std::int64_t{1} << 22;
    rules.records = 0;
  }
  return rules;
}

std::array<std::int64_t, 3> halved(const std::array<std::int64_t, 3> &extents,
                                   const CutRules &rules, std::int64_t most, std::int64_t least,
                                   const std::array<bool, 3> &kept) {
  std::array<std::int64_t, 3> tile = extents;
  while (tile[0] * tile[1] * tile[2] > most) {
    const auto half = [&](std::size_t k) {
      return tileOf(quotientUp(tile[k], 2), extents[k], rules.unit[k]);
    };
    const auto free = [&](std::size_t k) {
      return !kept[k] && !rules.whole[k] && half(k) < tile[k] &&
             tile[0] * tile[1] * tile[2] / tile[k] * half(k) >= least;
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
  const std::array<std::int64_t, 3> n = grid.extents();
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
      cut.tile[k] = tileOf(wanted, n[k], rules.unit[k]);
  }
  return cut;
}

std::string show(const Cut &cut) {
  return fmt::format("{} x {} x {} q, {} records", cut.tile[0], cut.tile[1], cut.tile[2],
                     cut.records);
}

} // namespace facet::runtime
