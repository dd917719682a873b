// remarks.h - from a reading to words: its bounds, and how near it comes to them.
#pragma once
#include "runtime/tuning/roofline/roofline.h"

namespace facet::runtime {

/// Something that takes time, and how much at least.
struct Bound {
  std::string name;   // "multiply-adds", "arithmetic", "loads", "L2", "memory"
  std::string of;     // what its percentage is of: "the 6 a TQP"
  double seconds = 0; // a record and q-point
};
/// The bounds of a reading, arithmetic first, then loads, then levels beyond the first cache.
std::vector<Bound> boundsOf(const Reading &reading, const Ceilings &ceilings);

/// What remarks look at.
struct Facts {
  const Reading &reading;
  const Ceilings &ceilings;
  std::vector<Bound> bounds;
  Bound tightest;
  double reached = 0; // share of the tightest bound, 0 to about 1
};
Facts factsOf(const Reading &reading, const Ceilings &ceilings);

} // namespace facet::runtime
