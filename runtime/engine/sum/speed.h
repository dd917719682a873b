// speed.h - what a sum kernel was seen to take.
#pragma once

namespace facet::runtime {

/// Seconds of one tile with one block of records, and of `finish` at one q.
struct Speed {
  double block = 0, finish = 0;
  bool operator==(const Speed &) const = default;
};

} // namespace facet::runtime
