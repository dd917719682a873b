// race.cpp - rounds of a race, and the picking rule.
#include "runtime/tuning/search/race.h"
#include <algorithm>
#include <cmath>
#include <tuple>

namespace facet::runtime {

std::vector<Raced> race(std::size_t candidates, const RunOnce &run, const RaceRules &rules) {
  std::vector<Raced> result(candidates);
  std::vector<std::size_t> running(candidates);
  for (std::size_t k = 0; k < candidates; ++k)
    running[k] = k;
  const double start = rules.clock ? rules.clock() : 0;
  for (const double drop : rules.drop) {
    double best = HUGE_VAL;
    std::erase_if(running, [&](std::size_t k) {
      const double seconds = run(k);
      Raced &own = result[k];
      ++own.runs;
      if (seconds <= 0) {
        own.seconds = 0;
        return true;
      }
      own.seconds = own.runs == 1 ? seconds : std::min(own.seconds, seconds);
      best = std::min(best, own.seconds);
      return false;
    });
    std::erase_if(running, [&](std::size_t k) { return result[k].seconds > best * (1 + drop); });
    if (rules.clock && rules.clock() - start > rules.limit)
      break;
  }
  return result;
}

std::size_t pick(const std::vector<schedules::Knobs> &knobs, const std::vector<double> &rates,
                 std::size_t initial, double share, double gain) {
  double best = 0;
  for (const double rate : rates)
    best = std::max(best, rate);
  if (rates[initial] > 0 && best <= rates[initial] * (1 + gain))
    return initial;
  const auto size = [&](std::size_t k) {
    const schedules::Knobs &own = knobs[k];
    return std::tuple(own.tileY * own.tileZ, own.blockT, own.tileY, own.addition, own.gridY,
                      own.gridZ, -rates[k]);
  };
  std::size_t taken = initial;
  // What is taken must beat the default too, not only be near the best.
  const double least = std::max(share * best, rates[initial]);
  for (std::size_t k = 0; k < rates.size(); ++k)
    if (rates[k] > 0 && rates[k] >= least && (rates[taken] < least || size(k) < size(taken)))
      taken = k;
  return taken;
}

} // namespace facet::runtime
