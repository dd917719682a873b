// avx512.cpp - the schedule for AVX-512: 16 floats, 32 registers.
#include "schedules/stages.h"

namespace facet::schedules {

const Architecture avx512{registerTile};

} // namespace facet::schedules
