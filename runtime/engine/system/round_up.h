// round_up.h - whole units that hold a number of things.
#pragma once
#include <cstdint>

namespace facet::runtime {

inline std::int64_t quotientUp(std::int64_t n, std::int64_t unit) { return (n + unit - 1) / unit; }
inline std::int64_t roundUp(std::int64_t n, std::int64_t unit) {
  return quotientUp(n, unit) * unit;
}

} // namespace facet::runtime
