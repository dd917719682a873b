// clock.h - the clock that is never set: how long something took.
#pragma once
#include <chrono>

namespace facet::runtime {

using Clock = std::chrono::steady_clock;

inline double secondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// Tells the seconds since it was made.
class Stopwatch {
public:
  double seconds() const { return secondsSince(start_); }

private:
  Clock::time_point start_ = Clock::now();
};

} // namespace facet::runtime
