// run_units.h - carries out the units of a Decision on threads, each written as it is done.
#pragma once
#include "runtime/output/tiled/tiled_result.h"
#include "runtime/plan/blocks/evaluator.h"
#include "runtime/plan/blocks/shared.h"
#include "runtime/plan/errors/sample.h"
#include <functional>

namespace facet::runtime {

struct UnitsJob {
  const Grid &grid;
  const Decision &decision;
  const std::vector<double> &params;
  std::vector<std::int64_t> units; // to be done, in this order
  int workers = 1;                 // that take units; each has an evaluator
  std::function<std::unique_ptr<Evaluator>()> evaluator;
  TiledResult &result;
  int dataset;                       // of F
  std::complex<double> *f = nullptr; // F of the whole grid, where it is wanted in memory
  /// Others that sum the t blocks of these units too, or null. A unit that is shared is not
  /// stopped: the others wait for its sums.
  SharedBlocks *shared = nullptr;
  /// Called about ten times a second: triangle-q-points done, and all of these units.
  std::function<void(double done, double total)> progress;
  double seconds = 0; // expected of a unit
  /// As of UnitsToTake.
  std::function<void(double seconds, bool left)> stopping = {};
};
struct UnitsDone {
  std::int64_t units = 0, repaired = 0;
  std::string totals, device;
  Extremes extremes;    // of |F| in the units that were finished here
  bool stopped = false; // a StopRequest came before the last unit
};
/// Throws the first Error of a unit, when the others in hand are done; what is finished is kept.
UnitsDone runUnits(const UnitsJob &job);

/// Reads finished units: where |F| is smallest and largest in them; with `f`, F of the whole grid,
/// to their places there.
Extremes readUnits(const TiledResult &result, int dataset, const Grid &grid,
                   const Decision &decision, const std::vector<std::int64_t> &units,
                   std::complex<double> *f = nullptr);
/// Reads F at some q of the grid, by their indices.
std::vector<std::complex<double>> readValues(const TiledResult &result, int dataset,
                                             const Grid &grid, const std::vector<std::int64_t> &q);

} // namespace facet::runtime
