// heat_map.h - a picture of what tuning has explored.
#pragma once
#include "runtime/tuning/tuner.h"

namespace facet::runtime {

/// Trials gathered over two knobs: what a panel shows.
struct Cells {
  struct Cell {
    double best = 0;      // TQP/s of the best trial; 0: none was measured
    bool skipped = false; // candidates were left out here
  };
  const schedules::KnobInfo *x = nullptr, *y = nullptr;
  std::vector<int> xs, ys; // their values, rising
  std::vector<Cell> cells; // [y][x]
  double best = 0;
  const Cell &at(std::size_t ix, std::size_t iy) const { return cells[iy * xs.size() + ix]; }
  /// Where knobs lie, as (x, y) of cells.
  std::pair<std::size_t, std::size_t> place(const schedules::Knobs &knobs) const;
};
/// Over the two knobs that move the throughput most and fill most cells.
Cells cellsOf(const TuneResult &result);

/// One panel a variant: the best throughput over the two knobs that tell most, the path the steps
/// took, and what was left out. PNG, SVG or PDF by the extension. Throws Error.
void writeHeatMap(const std::vector<TuneResult> &results, const std::string &path);

} // namespace facet::runtime
