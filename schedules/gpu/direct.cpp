// direct.cpp - the schedule of direct sums on devices.
#include "gpu.h"

namespace facet::schedules::gpu {

void direct(Direct &, const Knobs &) {}

} // namespace facet::schedules::gpu
