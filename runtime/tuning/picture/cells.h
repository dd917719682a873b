// cells.h - trials gathered over two knobs: what a panel of the heat map shows.
#pragma once
#include "runtime/tuning/tuner.h"

namespace facet::runtime {

struct Cell {
  double best = 0;      // TQP/s of the best trial; 0: none was measured
  bool skipped = false; // candidates were left out here
};

struct Cells {
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

} // namespace facet::runtime
