// clock.h - the time, for what is measured.
#pragma once
#include <chrono>

namespace facet::driver {

/// Seconds of a clock that never goes back.
inline double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

} // namespace facet::driver
