// problem.h - what candidates are timed on: a mesh, a grid, and calls as a plan makes them.
#pragma once
#include "runtime/plan/grid/hyperblocks.h"
#include "runtime/plan/sums/queues.h"
#include "schedules/knobs.h"
#include <cstddef>
#include <facet/runtime/kernel.h>
#include <facet/runtime/mesh.h>
#include <string>
#include <vector>

namespace facet::runtime {

/// Of a clock that is never set.
double wallSeconds();

/// A torus of about so many triangles, with random numbers for columns that only the user's meshes
/// have, or for all of records that are no triangles.
Mesh usualMesh(const facet_kernel_description &kernel, std::int64_t triangles);
/// q.x 0.1, `y` q.y from -2 to 2, `z` q.z from 0.01 to 2 nm^-1, where the kernel leaves them open;
/// Im q.z of complex q from 0.001 to 0.01.
Grid usualGrid(const facet_kernel_description &kernel, facet_grid_kind kind, facet_q_kind q,
               std::int64_t y, std::int64_t z);

/// Records and q that sums are timed on; direct sums on CPUs take a part of the rows, so that a run
/// is short.
class Problem {
public:
  /// Extents of y and z, and how many times 6,600 triangles (1 or 8).
  struct Size {
    int y = 0, z = 0, times = 1;
  };
  /// `variant`: of the kernel, any knobs.
  Problem(const facet_kernel_description &kernel, const facet_variant &variant, Size size);
  /// On CPUs: `rows` of 200 x 200 q for direct sums, where whole tiles and 8 more are as a grid of
  /// 200 has them; 500 x 500 for separable ones, whose tables need them.
  static Size onCpu(const facet_variant &variant, int rows);

  std::int64_t records() const { return records_; }
  const Grid &grid() const { return grid_; }
  const std::vector<double> &params() const { return params_; }
  const std::vector<const double *> &columns() const { return pointers_; }

private:
  std::int64_t records_ = 0;
  Grid grid_;
  std::vector<double> params_;
  std::vector<std::vector<double>> columns_;
  std::vector<const double *> pointers_;
};

/// Sums that a run adds to: of one thread.
struct SumBuffers {
  AlignedVector<double> re, im;
  /// Of so many q at least; zero where they are new.
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
  /// The grid cut as a run would cut it, for `bytes` of memory; 1 tile where it is small.
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
  bool callTile(const Hyperblock &tile, std::int64_t begin, std::int64_t end, SumBuffers &buffers,
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
