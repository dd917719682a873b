// problem.h - what candidates are timed on: a mesh, a grid, and calls as a plan makes them.
#pragma once
#include "runtime/plan/grid/layout.h"
#include "runtime/plan/sums/queues.h"
#include "schedules/knobs.h"
#include <cstddef>
#include <ctime>
#include <facet/runtime/kernel.h>
#include <facet/runtime/mesh.h>
#include <string>
#include <vector>

namespace facet::runtime {

/// Seconds by one of the system's clocks.
inline double secondsBy(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}
inline double wallSeconds() { return secondsBy(CLOCK_MONOTONIC); }
/// Seconds this thread has run: a busy machine lets it wait, which is no cost of the work.
inline double threadSeconds() { return secondsBy(CLOCK_THREAD_CPUTIME_ID); }

/// A torus of about so many triangles, with random numbers for columns that only the user's meshes
/// have, or for all of records that are no triangles.
Mesh usualMesh(const facet_kernel_description &kernel, std::int64_t triangles);
/// q.x 0.1, `y` q.y from -2 to 2, `z` q.z from 0.01 to 2 nm^-1, if the kernel leaves them open;
/// Im q.z of complex q from 0.001 to 0.01.
Grid usualGrid(const facet_kernel_description &kernel, facet_grid_kind kind, facet_q_kind q,
               std::int64_t y, std::int64_t z);

/// Records and q that sums are timed on; direct sums on CPUs take a part of the rows, so that a run
/// is short.
struct Problem {
  /// Extents of y and z, and how many times 6,600 triangles (1 or 8).
  struct Size {
    int y = 0, z = 0, times = 1;
  };
  /// `variant`: one of the kernel's, with any knobs.
  Problem(const facet_kernel_description &kernel, const facet_variant &variant, Size size);
  Problem(const Problem &) = delete;
  Problem &operator=(const Problem &) = delete;
  /// On CPUs: `rows` of 200 x 200 q for direct sums, of which whole tiles and 8 more are as a grid
  /// of 200 has them; 500 x 500 for separable ones, whose tables need them.
  static Size onCpu(const facet_variant &variant, int rows);

  Grid grid;
  std::vector<double> params;
  std::int64_t records = 0;
  std::vector<std::vector<double>> values; // a vector a column
  std::vector<const double *> columns;     // the same
};

/// Sums that a run adds to: of one thread.
struct SumBuffers {
  AlignedVector<double> re, im;
  /// For so many q at least; zero if they are new.
  void fit(std::int64_t q) {
    if (static_cast<std::int64_t>(re.size()) >= q)
      return;
    re.assign(static_cast<std::size_t>(q), 0.0);
    im.assign(static_cast<std::size_t>(q), 0.0);
  }
};

/// A loaded library on the problem.
class Candidate {
public:
  /// `knobs`: those it was compiled with; the grid's cut is taken from them, not from the library.
  Candidate(const Problem &problem, Kernel kernel, const schedules::Knobs &knobs);

  /// On a device: calls go to this queue, each with the whole grid; before anything else is called.
  void useDevice(facet_device *queue);
  /// The grid cut as a run would cut it, for `bytes` of memory; 1 tile if it is small.
  std::int64_t tiles(double bytes) const;
  /// Adds all records of the problem to every q by tiles on the queues, one a stream of the knobs;
  /// returns seconds of the wall. 0: the sum failed.
  double runOnStreams(Queues &queues, SumBuffers &buffers) const;

  /// Adds `records` of the problem's records (from the first, over and over) to every q of the
  /// grid, a block a call; returns seconds of this thread's CPU time, on a device of the wall. 0:
  /// the sum failed.
  double run(std::int64_t records, SumBuffers &buffers) const;
  /// Triangle-q-points of that: without padding.
  double work(std::int64_t records) const;
  /// Some sums over the first records, in grid order: what other candidates must agree with.
  std::vector<double> sample(SumBuffers &buffers) const;
  const facet_variant &variant() const { return variant_; }
  int blockT() const { return blockT_; } // of the knobs; a device's variant takes more a call

private:
  bool callTile(const Box &tile, std::int64_t begin, std::int64_t end, SumBuffers &buffers,
                facet_device *device) const;
  bool call(std::int64_t begin, std::int64_t end, SumBuffers &buffers) const;
  const Problem *problem_;
  Kernel kernel_;
  facet_variant variant_;
  facet_device *device_ = nullptr;
  int streams_ = 1, blockT_ = 1;
  Layout layout_;
  AlignedVector<std::byte> narrow_;
  AlignedVector<double> wide_;
};

/// Largest difference, relative to the largest of b.
double disagreement(const std::vector<double> &a, const std::vector<double> &b);

} // namespace facet::runtime
