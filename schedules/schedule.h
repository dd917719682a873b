// schedule.h - how a sum kernel runs, never what it computes: knobs, and one function a target.
#pragma once
#include <string_view>

namespace facet::schedules {

/// The numbers a schedule may choose. Lanes of a vector follow from target and class.
struct Knobs {
  int tileZ = 4;    // vectors of z (or of points) held in registers
  int tileY = 4;    // rows of y held in registers (product grids)
  int unrollT = 1;  // records a trip of the inner loop
  int blockT = 1024; // most records a call: summed in the class's precision, then added in double
};

} // namespace facet::schedules
