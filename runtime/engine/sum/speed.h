// speed.h - what a sum kernel was seen to take.
#pragma once
#include <cstdint>
#include <facet/abi.h>
#include <facet/runtime/grid.h>

namespace facet::runtime {

/// Seconds of one tile with one block of records, and of `finish` at one q.
struct Speed {
  double block = 0, finish = 0;
  bool operator==(const Speed &) const = default;
};

/// Terms a second of direct sums in f64 on one thread, of an unknown kernel.
constexpr double preciseRate = 0.6e9;
/// Terms a second on one thread if nothing was measured. `precise`: the rate of direct sums in f64,
/// measured or `preciseRate`. Separable sums do the same work whatever the kernel is.
double guessedRate(const facet_variant &variant, double precise);
/// How many points of a list stand for all of it: one tile.
std::int64_t listTile(const facet_variant &variant);
/// So many q of the grid as a list: all tiles of a list are alike.
Grid someQ(const Grid &grid, const facet_variant &variant);

} // namespace facet::runtime
