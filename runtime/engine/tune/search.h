// search.h - the search for knobs: what may be tried, races that time candidates, and the steps
// from the defaults to the fastest.
#pragma once
#include "runtime/engine/tune/tuner.h"
#include <facet/abi.h>
#include <functional>
#include <string>
#include <vector>

namespace facet::runtime {

// What may be tried
// ---------------------------------------------------------------------------
/// What a device lets a block of threads have; 0: not known. `threads` 0: a target of a CPU.
struct DeviceLimits {
  int threads = 0, registers = 0, sharedBytes = 0;
  int recordBytes = 0; // of a packed record, which direct sums stage in shared memory
};

/// The sum whose knobs are searched.
struct SpaceRequest {
  facet_algorithm algorithm = FACET_DIRECT;
  facet_class klass = FACET_F32;
  facet_grid_kind grid = FACET_PRODUCT;
  int vectorBytes = 64, registers = 32; // of the target's widest vectors
  schedules::Knobs initial;             // the defaults
  DeviceLimits device = {};
  bool separable() const { return algorithm == FACET_SEPARABLE; }
  bool onDevice() const { return device.threads > 0; }
};

/// Knobs that are stepped together.
struct KnobGroup {
  std::string step; // "functions", "registers", "blocks", "grid"
  struct Axis {
    int schedules::Knobs::*member;
    std::vector<int> values; // rising; the default's is among them
  };
  std::vector<Axis> axes;

  std::size_t combinations() const;
  /// `at` with every combination of the values.
  std::vector<schedules::Knobs> all(const schedules::Knobs &at) const;
  /// `at` with the next value of one knob, up or down; and with one knob a value up and another a
  /// value down (8 x 2 to 4 x 4).
  std::vector<schedules::Knobs> around(const schedules::Knobs &at) const;
};
/// Groups of every knob of knobs.def that the sum has, but those a run sets (threads, streams), in
/// the order in which they are stepped.
std::vector<KnobGroup> groupsOf(const SpaceRequest &request);
/// The same groups, with neighbours joined while a group has at most `most` combinations.
std::vector<KnobGroup> joined(const std::vector<KnobGroup> &groups, std::size_t most);

/// Knobs of the runtime, which no candidate is compiled for.
inline constexpr int schedules::Knobs::*runtimeKnobs[] = {
    &schedules::Knobs::gridY, &schedules::Knobs::gridZ, &schedules::Knobs::threads,
    &schedules::Knobs::streams};

/// `knobs` with a direct sum's rows cut in whole tiles, if the runtime's own 16 rows are not.
schedules::Knobs fitted(schedules::Knobs knobs, const SpaceRequest &request);
/// Why a candidate is not even compiled; "" if it may be.
std::string leftOut(const schedules::Knobs &knobs, const SpaceRequest &request);

// Races
// ---------------------------------------------------------------------------
struct RaceRules {
  /// Candidates slower than the best by more than drop[k] after round k are out; a round for each.
  std::vector<double> drop = {0.25, 0.12, 0.08, 0.05, 0.04, 0.03};
  double limit = 20; // seconds by `clock`; past it the race ends after the round
  std::function<double()> clock = {};
};
struct RaceResult {
  double seconds = 0; // least of its runs; 0: it failed
  int runs = 0;
};
/// In each round every candidate still in the race runs once, in turn: `run` runs candidate k and
/// returns its seconds for equal work; 0 or less: it failed, and is out.
std::vector<RaceResult> race(std::size_t candidates, const std::function<double(std::size_t)> &run,
                             const RaceRules &rules = {});

/// The candidate with the smallest knobs (tile, then block, then the others) within `share` of the
/// best rate. It is the default (index `initial`) unless the best is faster by more than `gain`.
/// Rates of 0 are never taken.
std::size_t pick(const std::vector<schedules::Knobs> &knobs, const std::vector<double> &rates,
                 std::size_t initial, double share = 0.985, double gain = 0.005);

/// Measures candidates, or makes numbers up in tests.
class Lab {
public:
  Lab() = default;
  Lab(Lab &&) = delete;
  virtual ~Lab() = default;

  struct Rate {
    double rate = 0; // TQP/s of all threads together; 0: `why`
    std::string why; // refused by facetc, other sums than the default
  };
  /// How candidates are timed: by calls on one thread, or one queue; or as a run makes them, with
  /// each candidate's own threads, or streams.
  enum class Mode { OneThread, AsARun };
  /// Compiles candidates that are not yet compiled, side by side, then races all with one another.
  virtual std::vector<Rate> race(const std::vector<schedules::Knobs> &candidates, Mode how) = 0;
  /// Tiles that streams of a device have to share; 1 on CPUs.
  virtual std::int64_t tiles(const schedules::Knobs &) { return 1; }
  /// Seconds since the search began.
  virtual double elapsed() const = 0;
};

// The search
// ---------------------------------------------------------------------------
struct SearchRules {
  bool exhaustive = false;
  double limit = 60; // seconds; past it no new candidates are taken, only the review
  int cores = 1;
  std::function<void(const TuneProgress &)> progress;
};

/// Searches for the fastest candidate. Returns knobs, rates and neighbours of `tuned`, trials and
/// path. Throws what the lab throws, and Error if not even the default runs.
TuneResult search(Lab &lab, const SpaceRequest &request, const SearchRules &rules);

} // namespace facet::runtime
