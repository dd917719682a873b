// sse41.cpp - the schedule for SSE4.1: 4 floats, no fused multiply-add.
#include "schedules/stages.h"

namespace facet::schedules {

const Architecture sse41{registerTile};

} // namespace facet::schedules
