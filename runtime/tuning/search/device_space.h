// device_space.h - the candidates of a device: groups of knobs, their values, and what no block of
// threads can have.
#pragma once
#include "runtime/tuning/search/space.h"

namespace facet::runtime {

/// Knobs that are searched together, and the values of each, rising.
struct KnobGroup {
  const char *step; // "registers", "blocks", "functions"
  struct Axis {
    int schedules::Knobs::*member;
    std::vector<int> values; // the default's among them
  };
  std::vector<Axis> axes;
};
/// In the order they are searched: register tile, threads of a block, records a group, records
/// unrolled, then every other knob of knobs.def that devices have and candidates are compiled for,
/// each for itself: one that is added there is tuned.
std::vector<KnobGroup> deviceGroups(const SpaceRequest &request);

/// Why no block of the device can have these knobs, or why they are not worth compiling: too many
/// threads, registers, shared memory, or code; "" where they may be tried.
std::string leftOutOnDevice(const schedules::Knobs &knobs, const SpaceRequest &request);

} // namespace facet::runtime
