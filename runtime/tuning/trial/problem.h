// problem.h - what candidates are timed on: a mesh, a grid, and calls as a plan makes them.
#pragma once
#include "runtime/plan/grid/layout.h"
#include "schedules/knobs.h"
#include <cstddef>
#include <facet/runtime/kernel.h>
#include <string>
#include <vector>

namespace facet::runtime {

/// 6,600 triangles of a torus, or random records where the kernel reads no triangles; a grid as
/// people use it, of which direct sums take a part of the rows, so that a run is short.
class Problem {
public:
  /// `variant`: of the kernel, any knobs. `rows`: of y, direct sums only; whole tiles and 8 more
  /// are as a grid of 200 has them.
  Problem(const facet_kernel_description &kernel, const facet_variant &variant, int rows);

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
};

/// A loaded library on the problem.
class Candidate {
public:
  /// `knobs`: those it was compiled with; the grid's cut is taken from them, not from the library.
  Candidate(const Problem &problem, Kernel kernel, const schedules::Knobs &knobs);

  /// Adds `records` of the problem's records (from the first, over and over) to every q of the
  /// grid, a block a call; returns seconds of this thread's CPU time. 0: the sum failed.
  double run(std::int64_t records, SumBuffers &buffers) const;
  /// Triangle-q-points of that: without padding.
  double work(std::int64_t records) const;
  /// Some sums over the first records, in grid order: what other candidates must agree with.
  std::vector<double> sample(SumBuffers &buffers) const;
  const facet_variant &variant() const { return variant_; }

private:
  bool call(std::int64_t begin, std::int64_t end, SumBuffers &buffers) const;
  const Problem *problem_;
  Kernel kernel_;
  facet_variant variant_;
  Layout layout_;
  AlignedVector<std::byte> narrow_;
  AlignedVector<double> wide_;
};

/// Largest difference, relative to the largest of b.
double disagreement(const std::vector<double> &a, const std::vector<double> &b);

} // namespace facet::runtime
