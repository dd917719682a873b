// neon.cpp - the schedule for NEON, of any 64-bit ARM: 4 floats, 32 registers, fused multiply-add.
#include "schedules/stages.h"

namespace facet::schedules {

const Architecture neon{registerTile};

} // namespace facet::schedules
