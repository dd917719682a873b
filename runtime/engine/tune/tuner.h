// tuner.h - finds the knobs of one variant of a kernel on this machine, in steps; draws the search.
#pragma once
#include "runtime/engine/kernel/tuned.h"
#include <facet/runtime/grid.h>
#include <facet/runtime/kernel.h>
#include <facet/runtime/mesh.h>

namespace facet::runtime {
namespace plot {
struct Figure;
}

struct TuneProgress {
  std::string step; // "functions", "registers", "blocks", "grid", "threads" ("streams"), "review"
  int done = 0, expected = 0; // trials of the whole tuning
  double best = 0;            // TQP/s so far
};

struct TuneRequest {
  std::string file, kernel; // kernel file, and its name if the file holds several
  facet_algorithm algorithm = FACET_DIRECT;
  facet_class klass = FACET_F32;
  std::string target;
  facet_grid_kind grid = FACET_PRODUCT;
  facet_q_kind q = FACET_REAL_Q;
  bool exhaustive = false; // every candidate of the space, for comparison
  double limit = 0;        // seconds after which no new candidate is tried; 0: 60, exhaustive 900
  std::function<void(const TuneProgress &)> progress = {};
};

/// One candidate: measured, or left out with the reason.
struct Trial {
  schedules::Knobs knobs;
  std::string step;
  // TQP/s of one thread, or of a device, in the best of its runs; 0: not measured
  double throughput = 0;
  std::string skipped; // why it was not measured; "": it was
};

struct TuneResult {
  TunedEntry tuned;                   // as a schedule file keeps it
  schedules::Knobs initial;           // the defaults
  std::vector<Trial> trials;          // in the order they were taken
  std::vector<schedules::Knobs> path; // what each step chose, the defaults first, the result last
  double compileSeconds = 0, measureSeconds = 0, seconds = 0;
};

/// Throws Error if the algorithm has no schedule.
void checkTunable(facet_algorithm algorithm);
/// Tunes one variant. The result is never slower than the defaults in the final, interleaved
/// review: if nothing beats them, they are kept. Throws Error for what facetc refuses, a target
/// that this CPU cannot run, and an algorithm that the kernel forbids.
TuneResult tune(const TuneRequest &request);

// What kernels are timed on
// ---------------------------------------------------------------------------
/// A torus of about `triangles` triangles. It has random numbers for columns that only the user's
/// meshes have, and for all columns of records that are no triangles. Tables of columns with an
/// axis are as long as that axis of `grid`.
Mesh usualMesh(const facet_kernel_description &kernel, std::int64_t triangles, const Grid &grid);
/// q.x 0.1, `y` q.y from -2 to 2, `z` q.z from 0.01 to 2 nm^-1, if the kernel leaves them open;
/// Im q.z of complex q from 0.001 to 0.01.
Grid usualGrid(const facet_kernel_description &kernel, facet_grid_kind kind, facet_q_kind q,
               std::int64_t y, std::int64_t z);

// A picture of what was explored
// ---------------------------------------------------------------------------
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
  /// The cell (x, y) in which knobs lie.
  std::pair<std::size_t, std::size_t> place(const schedules::Knobs &knobs) const;
};
/// Cells over the two knobs that move the throughput most and fill most cells.
Cells cellsOf(const TuneResult &result);

/// Draws one panel for each variant: the best throughput over the two knobs that tell most, the
/// path the steps took, and what was left out. PNG, SVG or PDF by the extension. Throws Error.
plot::Figure heatMapFigure(const std::vector<TuneResult> &results);
void writeHeatMap(const std::vector<TuneResult> &results, const std::string &path);

} // namespace facet::runtime
