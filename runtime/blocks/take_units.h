// take_units.h - threads that take units one after another, until all are done or a stop is asked
// for.
#pragma once
#include <cstdint>
#include <functional>
#include <vector>

namespace facet::runtime {

struct UnitsTaken {
  std::int64_t units = 0;
  bool stopped = false; // a StopRequest came before the last unit
};
/// `worker` is called by each of the threads and gives what does a unit there. `meanwhile` is
/// called about ten times a second. `stops`: asked to, it leaves the rest. Throws the first Error
/// of a unit, when the others in hand are done.
UnitsTaken takeUnits(const std::vector<std::int64_t> &units, int workers,
                     const std::function<std::function<void(std::int64_t)>()> &worker,
                     const std::function<void()> &meanwhile, bool stops = true);

} // namespace facet::runtime
