// space.h - what a search may try: groups of knobs with their values, and candidates that are not
// worth compiling.
#pragma once
#include "schedules/knobs.h"
#include <facet/abi.h>
#include <string>
#include <vector>

namespace facet::runtime {

/// What a device lets a block of threads have; 0: not known. `threads` 0: a target of a CPU.
struct DeviceLimits {
  int threads = 0, registers = 0, sharedBytes = 0;
  int recordBytes = 0; // of a packed record, which direct sums stage in shared memory
};

/// What the candidates are of.
struct SpaceRequest {
  facet_algorithm algorithm = FACET_DIRECT;
  facet_class klass = FACET_F32;
  facet_grid_kind grid = FACET_PRODUCT;
  int vectorBytes = 64, registers = 32; // of the target's widest vectors
  schedules::Knobs initial;             // the defaults
  DeviceLimits device = {};             // of a device's target
  bool separable() const { return algorithm == FACET_SEPARABLE; }
  bool onDevice() const { return device.threads > 0; }
};

/// Knobs that are stepped together.
struct KnobGroup {
  std::string step; // "functions", "registers", "blocks", "grid"
  struct Axis {
    int schedules::Knobs::*member;
    std::vector<int> values; // rising, the default's among them
  };
  std::vector<Axis> axes;

  std::size_t combinations() const;
  /// `at` with every combination of the values.
  std::vector<schedules::Knobs> all(const schedules::Knobs &at) const;
  /// `at` with the next value of one knob, up or down, and with one knob's traded for another's (8
  /// x 2 to 4 x 4).
  std::vector<schedules::Knobs> around(const schedules::Knobs &at) const;
};
/// Every knob of knobs.def that the sum has, but those a run sets (threads, streams), in the order
/// in which they are stepped.
std::vector<KnobGroup> groupsOf(const SpaceRequest &request);
/// The same with neighbours in the list joined while a group has at most so many combinations.
std::vector<KnobGroup> joined(const std::vector<KnobGroup> &groups, std::size_t most);

/// Vectors of sums, or sums of a device's thread, that a tile holds.
inline int sums(const schedules::Knobs &knobs) { return 2 * knobs.tileY * knobs.tileZ; }
/// Registers of a target's widest vectors: 32 with AVX-512, else 16 (NEON: 32).
int registersOf(const std::string &target);

/// Knobs of the runtime, which no candidate is compiled for.
inline constexpr int schedules::Knobs::*runtimeKnobs[] = {
    &schedules::Knobs::gridY, &schedules::Knobs::gridZ, &schedules::Knobs::threads,
    &schedules::Knobs::streams};

/// With the rows of a direct sum's grid cut in whole bands, where the runtime's own 16 rows are
/// none.
schedules::Knobs fitted(schedules::Knobs knobs, const SpaceRequest &request);
/// Why a candidate is not even compiled; "" where it may be.
std::string leftOut(const schedules::Knobs &knobs, const SpaceRequest &request);

} // namespace facet::runtime
