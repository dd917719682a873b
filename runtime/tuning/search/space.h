// space.h - the candidates that a tuning may try: sensible values of each knob, without those that
// can never fit.
#pragma once
#include "schedules/knobs.h"
#include <facet/abi.h>
#include <string>
#include <utility>
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
};

/// Values to try of each knob. The default's value is among them, also where a table here lacks it.
struct Space {
  std::vector<std::pair<int, int>> tiles; // rows, vectors of z
  std::vector<int> vectorBytes, addition,
      rowTables;                 // 0 first, or the default
  std::vector<int> blockT;       // ascending
  std::vector<int> gridY, gridZ; // 0: the runtime's choice; these are not compiled in

  /// How many pairs of rows and vectors were left out because their sums cannot stay in registers.
  int tooLarge = 0;
};
Space spaceOf(const SpaceRequest &request);

/// Vectors of sums that a tile holds.
inline int sums(const schedules::Knobs &knobs) { return 2 * knobs.tileY * knobs.tileZ; }
/// Registers of a target's widest vectors: 32 with AVX-512, else 16 (NEON: 32).
int registersOf(const std::string &target);

/// Why a candidate is not even compiled; "" where it may be: on CPUs tables of a direct sum's rows
/// that lowering leaves to the inner loop (sum_stages.cpp), on devices what device_space.h says.
std::string leftOut(const schedules::Knobs &knobs, const SpaceRequest &request);
/// Records a call worth trying, rising, the default's among them.
std::vector<int> blocksOf(const SpaceRequest &request);
/// Knobs of the runtime, which no candidate is compiled for.
inline constexpr int schedules::Knobs::*runtimeKnobs[] = {
    &schedules::Knobs::gridY,  &schedules::Knobs::gridZ, &schedules::Knobs::threads,
    &schedules::Knobs::unitY,  &schedules::Knobs::unitZ, &schedules::Knobs::unitT,
    &schedules::Knobs::streams};

/// All combinations of what is compiled in, the default first, with grids cut as the rows ask for.
/// Narrow vectors are combined with tiles alone.
std::vector<schedules::Knobs> combinations(const Space &space, const SpaceRequest &request);
/// `knobs` with every cut of the grid that fits its rows; itself first.
std::vector<schedules::Knobs> cuts(const schedules::Knobs &knobs, const Space &space,
                                   const SpaceRequest &request);
/// Sets the cut of a direct sum's grid to whole bands where the runtime's own 16 rows are none.
void fitRows(schedules::Knobs &knobs, const SpaceRequest &request);

} // namespace facet::runtime
