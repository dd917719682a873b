// race.h - which of several candidates is the fastest: interleaved runs, losers dropped early, and
// the rule by which one of those near the best is taken.
#pragma once
#include "schedules/knobs.h"
#include <cstddef>
#include <functional>
#include <vector>

namespace facet::runtime {

struct RaceRules {
  /// Who is slower than the best by more than this after round k is dropped; one round each.
  std::vector<double> drop = {0.25, 0.12, 0.08, 0.05, 0.04, 0.03};
  double limit = 20; // seconds by `clock`; past it the race ends after the round
  std::function<double()> clock = {};
};

/// Runs candidate k once and returns its seconds (for equal work); 0 or less: it failed, and is
/// out.
using RunOnce = std::function<double(std::size_t)>;

struct Raced {
  double seconds = 0; // least of its runs; 0: it failed
  int runs = 0;
};
/// In each round every candidate still in the race runs once, in turn.
std::vector<Raced> race(std::size_t candidates, const RunOnce &run, const RaceRules &rules = {});

/// Of candidates with rates, the one with the smallest knobs (tile, then block, then the others)
/// within `share` of the best rate; the default (index `initial`) where the best is not faster than
/// it by more than `gain`. Rates of 0 are never taken.
std::size_t pick(const std::vector<schedules::Knobs> &knobs, const std::vector<double> &rates,
                 std::size_t initial, double share = 0.985, double gain = 0.005);

} // namespace facet::runtime
