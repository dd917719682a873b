// avx2.cpp - the schedule for AVX2 and FMA: 8 floats, 16 registers.
#include "schedules/stages.h"

namespace facet::schedules {

const Architecture avx2{registerTile};

} // namespace facet::schedules
