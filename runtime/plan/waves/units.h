// units.h - transforms carried out unit by unit: where the grid is cut, and what a unit takes.
#pragma once
#include "runtime/plan/grid/cut.h"
#include "runtime/plan/waves/waves.h"
#include <string>

namespace facet::runtime {

/// Seconds a q of a unit takes to be written: F and |F|^2 with their checksums, to a file in the
/// system's cache; as seen.
constexpr double secondsToWrite = 50e-9;

/// A grid whose waves are to be summed by units of it, each by one thread with transforms of its
/// own.
struct WaveProblem {
  const Grid &grid;
  const WaveRecords &waves; // filled: of one t block
  double nodes = 1;         // points there will be for each of `waves`
  double blocks = 1;        // t blocks, of which each unit sums all
  double tolerance = 0, accuracy = 0;
  double room = 0;                 // bytes for all units that are computed at a time
  const CutRules &rules;           // of the algorithm
  std::int64_t records = 0;        // of the mesh
  const NufftConstants &constants; // what steps cost here: for `seconds`
};

/// Bytes of the q of a list, each time it is copied; none of a product's.
double listBytes(const Grid &grid);

struct WaveUnits {
  Cut cut;
  std::int64_t count = 0; // units; 0: cannot be done, or not in this room
  double transforms = 0;  // bytes that the transforms of a unit may take: they are laid out by it
  double bytes = 0;       // a unit takes while it is computed
  int workers = 1;        // units there is room for at a time
  double seconds = 0;     // of all units, one after another
  double byDefault = 0;   // of one, with the default constants: by which cuts are compared
  std::string detail;     // how the transforms of a unit are done
  std::string refusal, help; // not empty: not in any room; else `bytes` is what it would take
};

/// The cut of least cost among a few of about equal size, such that four units at a time have room;
/// if that takes small ones, perhaps a cut with room for two units, or one. It depends on the
/// problem and the room, not on `constants` or threads: a unit's transforms are laid out by the
/// default constants, as an Evaluator does.
WaveUnits unitsOf(const WaveProblem &problem);

/// Seconds of all units, with `workers` of them at a time.
double secondsOf(const WaveUnits &units, int workers);

} // namespace facet::runtime
