// schedule.h - the numbers a schedule may choose; what it does with them is in stages.h.
#pragma once

namespace facet::schedules {

/// Lanes of a vector follow from target and class. Defaults, measured: knobs.def.
struct Knobs {
  int tileY = 4;    // rows of y held in registers (product grids; 1 for very long terms)
  int tileZ = 1;    // vectors of z (or of points) held in registers
  int blockT = 512; // most records a call: summed in the class's precision, then added in double
};

} // namespace facet::schedules
