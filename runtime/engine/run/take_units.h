// take_units.h - threads that take units one after another, until all are done or a stop is
// requested.
#pragma once
#include <atomic>
#include <cstdint>
#include <functional>
#include <vector>

namespace facet::runtime {

struct UnitCount {
  std::int64_t units = 0;
  bool stopped = false; // a StopRequest came before the last unit
};

/// Does one unit; may throw Abandoned once `leave` is set, and the unit is not done then.
using OneUnit = std::function<void(std::int64_t)>;

struct UnitsToTake {
  std::vector<std::int64_t> units; // in this order
  int workers = 1;                 // threads
  /// Called by each of the threads; returns the function that does one unit there.
  std::function<OneUnit(const std::atomic<bool> *leave)> worker;
  /// Called about ten times a second.
  std::function<void()> meanwhile = [] {};
  /// A stop leaves the units that nobody has begun, and those in hand if the wait for them would be
  /// longer than `patience`. False: others wait for all units.
  bool stops = true;
  /// Seconds that a stop waits for the units in hand. A batch system kills a job some 30 s after it
  /// has requested a stop.
  double patience = 10;
  double seconds = 0; // expected of a unit; finished units tell better
  /// Called when a stop is requested, unless the end is near, with the seconds until the units in
  /// hand are done, as far as known. `left`: they are left instead. Called again when they are
  /// left.
  std::function<void(double seconds, bool left)> stopping = [](double, bool) {};
};
/// Throws the first Error of a unit, when the others in hand are done.
UnitCount takeUnits(const UnitsToTake &all);

} // namespace facet::runtime
