// roofline.h - how fast a kernel runs beside what the machine could do at each level of its memory.
#pragma once
#include "runtime/engine/kernel/tuned.h"
#include "runtime/engine/system/pool.h"
#include <array>
#include <facet/ceilings.h>
#include <facet/runtime/kernel.h>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace facet::runtime {
namespace plot {
struct Figure;
}

// What a machine can do, by generated loops: multiply-adds, bandwidths, sines
// ---------------------------------------------------------------------------
/// A cache as a core sees it.
struct DataCache {
  std::string name; // "L1", "L2", "L3"
  double bytes = 0;
  int sharedBy = 1; // CPUs of this system
};
/// Data caches of the first CPU, nearest first, from /sys; 32 KiB and 1 MiB if it says nothing.
std::vector<DataCache> dataCaches();

/// A level of the memory, and how fast it is read in a stream.
struct Bandwidth {
  std::string name; // "L1", "L2", "L3", "memory"
  double bytes = 0; // of one thread's share of the cache; memory: 0
  double speed = 0; // bytes a second, all threads together
};

/// Index 0: f32, 1: f64. Rates are of all threads together.
struct Ceilings {
  std::string target;
  int threads = 1, vectorBytes = 0;
  bool fused = true;              // the target has fused multiply-adds
  std::array<double, 2> flops{};  // of multiply-adds, FLOP/s
  std::array<double, 2> sincos{}; // sines with their cosines a second, as direct sums make them
  std::array<int, 2> sincosFlops{};
  std::vector<Bandwidth> levels;

  /// Vector instructions a second of multiply-adds; other arithmetic is taken to be as fast.
  double instructions(bool isDouble) const {
    const double lanes = vectorBytes / (isDouble ? 8.0 : 4.0);
    return flops[isDouble] / lanes / (fused ? 2 : 1);
  }
  /// Vectors a second from the first cache.
  double loads() const { return levels.empty() ? 0 : levels.front().speed / vectorBytes; }
};

/// Times the loops of a target's ceilings library, which facetc makes and the kernel cache keeps.
class CeilingMeter {
public:
  /// Throws Error if this CPU cannot run the target, or if there is no facetc.
  CeilingMeter(const std::string &target, int threads);
  /// Times every loop once more, about 80 ms; the best of all times counts.
  void step();
  const Ceilings &ceilings() const { return best_; }

private:
  void chooseSizes();
  void allocate();
  /// Runs a loop so many rounds on a thread; returns how much work that was.
  using Loop = std::function<double(int thread, std::int64_t rounds)>;
  /// Keeps the best work a second of all threads together. If `rounds` is 0 it is found first.
  void time(double &best, std::int64_t &rounds, const Loop &loop);
  std::shared_ptr<void> library_;
  const facet_ceilings *table_ = nullptr;
  Pool pool_;
  Ceilings best_;
  std::vector<std::unique_ptr<char, void (*)(void *)>> data_; // one for each thread
  std::vector<std::int64_t> rounds_;                          // of each loop
  std::vector<std::int64_t> sizes_;                           // bytes read at each level
};

// What a kernel computes and moves, by the counts of its manifest and a model of its schedule
// (docs/roofline.md)
// ---------------------------------------------------------------------------
/// Counts of one variant, as its manifest has them (codegen/passes/passes.h, Counts).
struct Operations {
  std::string flopsAQ; // "27 nt + 8"
  int innerFlops = 0, innerInstructions = 0, innerMultiplyAdds = 0;
  int innerSincos = 0, innerDivisions = 0;
  int rowFlops = 0, rowValues = 0;
  int columnFlops = 0, columnInstructions = 0, columnValues = 0, recordValues = 0;
  int packFlops = 0;
};
/// Throws Error if the manifest has no such variant.
Operations operationsOf(const facet_kernel_description &kernel, const facet_variant &variant);

/// A schedule and the problem it runs on: all that traffic depends on.
struct Setup {
  bool separable = false, points = false;
  schedules::Knobs knobs;
  int bytes = 4;                       // of a number of the class
  int lanes = 16;                      // numbers in a register
  int registers = 1;                   // side by side in a vector of the schedule
  int recordBytes = 0;                 // of a packed record
  int sumBytes = 16;                   // of the real sums of a q, in double
  double records = 0, q = 0;           // in all
  std::array<double, 3> tile{1, 1, 1}; // of one call; points: how many, 1, 1
  /// How many registers along z, or along a list, a tile has.
  int across() const { return knobs.tileZ * registers; }
};

/// Bytes a triangle-q-point that one kind of data moves: fewer if a cache holds what is used again.
struct Stream {
  std::string name; // "row tables", "column tables", "records", "sums"
  double bytes = 0; // if no cache holds it
  struct Reuse {
    double workingSet, bytes; // bytes that a cache passes on which holds the set
  };
  std::vector<Reuse> reuse; // smallest set first
  /// Bytes that a cache of `cache` bytes passes on.
  double through(double cache) const;
};

struct Traffic {
  double loads = 0;      // vectors from or to the first cache for a vector of triangle-q-points
  double tableFlops = 0; // a triangle-q-point, of tables
  /// Instructions of column values that direct sums form in the loop over records and rows of a
  /// tile share, a triangle-q-point.
  double tileInstructions = 0;
  std::vector<Stream> streams;
  std::vector<double> bytes; // a triangle-q-point from L1, L2, .., memory
};
/// `caches`: bytes of each, nearest first.
Traffic trafficOf(const Operations &operations, const Setup &problem,
                  const std::vector<double> &caches);

// Readings
// ---------------------------------------------------------------------------
/// One kernel measured: what it is, what it costs, how fast it was.
struct Reading {
  TunedKey key;
  std::string knobs;
  std::string schedule;   // where the knobs are from: "tuned on 2026-11-21"
  std::string neighbours; // what the tuner measured at the next values of each; "": nothing
  bool isDouble() const { return key.klass == "f64"; }
  int threads = 1;
  std::int64_t triangles = 0, records = 0; // records may be nodes, which are more
  std::array<std::int64_t, 3> extents{};
  Operations operations;
  Setup problem;
  Traffic traffic;
  double rate = 0;          // records times q-points a second, of the fastest run
  double padded = 1;        // sums computed for each one wanted
  bool canSeparate = false; // the kernel has a separable form, and the grid has axes
  /// FLOP/s of the inner loop; all intensities are of its FLOPs, too.
  double flops() const { return rate * operations.innerFlops; }
  /// FLOPs a byte at level k of the traffic: 0 is L1.
  double intensity(std::size_t k) const;
};

struct RooflineRequest {
  std::vector<std::string> kernels; // names or files; "born@direct": with an algorithm of its own
  std::vector<std::string> algorithms; // empty: each sum the kernel has: direct, separable
  std::vector<std::string> classes;    // empty: f32
  std::string target;                  // empty: the best
  facet_grid_kind grid = FACET_PRODUCT;
  facet_q_kind q = FACET_REAL_Q;
  int threads = 1;
  std::int64_t triangles = 6600;
  std::array<std::int64_t, 2> points{}; // q.y by q.z; of a list their product; 0: see measure.cpp
  std::string schedules; // tuned knobs, as CompileRequest.schedules; "": the defaults
  Schedules tuned;       // the same, with what the tuner has measured beside them
  Say say = [](const std::string &) {}; // gets a sentence before what takes time
};

struct Roofline {
  Ceilings ceilings;
  std::vector<Reading> readings;
  std::string cpu, date;
};

/// Measures the ceilings and the kernels in turn, so that a busy machine slows both; the best of
/// each counts. Throws Error for an unknown target, an algorithm that a kernel lacks, and
/// transforms.
Roofline measureRoofline(const RooflineRequest &request);

/// Something that takes time, and the least time that it takes.
struct Bound {
  std::string name;   // "multiply-adds", "arithmetic", "loads", "L2", "memory"
  std::string of;     // what its percentage is of: "the 6 a TQP"
  double seconds = 0; // for a record and q-point
};
/// The bounds of a reading, arithmetic first, then loads, then levels beyond the first cache.
struct Bounds {
  std::vector<Bound> all;
  Bound tightest;
  double reached = 0; // share of the tightest bound, 0 to about 1
};
Bounds boundsOf(const Reading &reading, const Ceilings &ceilings);
/// What bounds a reading, how far from the bound it is, and what the tuner has measured: a sentence
/// a line.
std::vector<std::string> advice(const Reading &reading, const Ceilings &ceilings);

/// The roofline as numbers and words for people, and for programs.
std::string rooflineText(const Roofline &roofline);
std::string rooflineJson(const Roofline &roofline);

/// Draws the hierarchical roofline, a panel for each class; PNG, SVG or PDF by extension. Throws
/// Error.
plot::Figure rooflineFigure(const Roofline &roofline);
void writeRoofline(const Roofline &roofline, const std::string &path);

} // namespace facet::runtime
