// by_units.cpp - what transforms are expected to take where a plan is carried out unit by unit.
#include "runtime/plan/choices/choices.h"
#include "runtime/plan/waves/units.h"
#include <algorithm>
#include <fmt/format.h>

namespace facet::runtime {

double bytesBesideUnits(const Question &ask) {
  constexpr double process = 80e6; // as seen, before it has a mesh
  const auto nq = static_cast<double>(ask.work.grid.size());
  const double columns = 24.0 * ask.work.kernel->column_count;
  const double mesh = ask.options.whole // of which the blocks have been taken off the memory
                          ? 0
                          : columns * static_cast<double>(ask.work.records.size()) +
                                std::min(process, 0.2 * ask.memory);
  // F; amplification and bin; a list as it is given, and the plan's own.
  return mesh + (16 + 6) * nq + 2 * listBytes(ask.work.grid);
}

Grid pieceOf(const Question &ask, const Candidate &c) {
  const Grid &grid = ask.work.grid;
  const std::int64_t records = ask.work.records.size();
  const Cut cut =
      defaultCut(grid, records,
                 cutRules(c.choice.algorithm, c.variant, grid, ask.work.kernel->fixed, records));
  return unitGrid(grid, {{}, cut.tile});
}

void predictByUnits(const Question &ask, double nodes, const NufftConstants &constants,
                    Candidate &c) {
  const Grid &grid = ask.work.grid;
  const std::int64_t records =
      ask.options.whole ? ask.options.whole->blocks->size() : ask.work.records.size();
  CutRules rules = cutRules(FACET_NUFFT, nullptr, grid, ask.work.kernel->fixed, records);
  if (ask.options.whole)
    rules.records = ask.options.whole->block;
  const double beside = bytesBesideUnits(ask);
  const WaveUnits units =
      unitsOf({grid, *ask.waves, nodes, ask.work.times, c.choice.tolerance, ask.options.accuracy,
               std::max(ask.memory - beside, 0.0), rules, records, constants});
  c.choice.refusal = units.refusal;
  c.help = units.help;
  if (units.count == 0 && units.refusal.empty()) {
    c.choice.refusal = fmt::format("needs {} of memory, by units of the grid, {} allowed",
                                   showBytes(beside + units.bytes), showBytes(ask.memory));
    c.help = "allow more with --memory, or take a smaller grid";
  }
  if (!c.choice.refusal.empty())
    return;
  const int threads = ask.work.pool.size();
  c.units = {units.cut, units.transforms, units.workers};
  c.choice.seconds = secondsOf(units, threads) / ask.work.times; // the caller counts blocks
  const auto together =
      static_cast<double>(std::min<std::int64_t>(units.count, std::min(threads, units.workers)));
  c.choice.bytes = together * units.bytes;
  c.choice.detail = units.detail;
}

} // namespace facet::runtime
