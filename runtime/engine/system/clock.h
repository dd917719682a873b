// clock.h - how long something took: by the clock that is never set, or of a thread's or process's
// own.
#pragma once
#include <chrono>
#include <ctime>

namespace facet::runtime {

using Clock = std::chrono::steady_clock;

inline double secondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

/// Seconds by one of the system's clocks.
inline double secondsBy(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}
inline double wallSeconds() { return secondsBy(CLOCK_MONOTONIC); }
/// Seconds this thread has run: a busy machine lets it wait, which is no cost of the work.
inline double threadSeconds() { return secondsBy(CLOCK_THREAD_CPUTIME_ID); }

/// Tells the seconds since it was made.
class Stopwatch {
public:
  double seconds() const { return secondsSince(start_); }

private:
  Clock::time_point start_ = Clock::now();
};

} // namespace facet::runtime
