// axes.h - what the choice of transforms asks of an axis: ranges, uniform steps, imaginary parts.
#pragma once
#include <cstdint>
#include <facet/runtime/grid.h>

namespace facet::runtime {

struct AxisFacts {
  std::int64_t n = 1;
  double low = 0, high = 0;     // of the real part
  double imLow = 0, imHigh = 0; // of the imaginary part
  bool uniform = false;         // equidistant to rounding: value i is first + i * step
  double first = 0, step = 0;   // step below 0: descending

  double half() const { return 0.5 * (high - low); }
  bool constant() const { return low == high && imLow == imHigh; }
  bool imVaries() const { return imLow != imHigh; }
  double largest() const; // max |re|
};

/// `values[first, last)` of an axis or of a component of a list; all of them where last is -1.
AxisFacts factsOf(const Axis &values, std::int64_t first = 0, std::int64_t last = -1);

} // namespace facet::runtime
