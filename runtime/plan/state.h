// state.h - what a plan keeps between executions.
#pragma once
#include "runtime/plan/layout.h"
#include "runtime/plan/pool.h"
#include "runtime/plan/records.h"
#include <complex>
#include <cstddef>
#include <facet/runtime/plan.h>

namespace facet::runtime {

struct Plan::State {
  State(Kernel kernel, const Grid &grid, PlanOptions options);

  void choose(); // target is known: kind, class, variant
  void lay();    // layout and buffers for the variant
  void pack();   // records for the variant
  void sum();    // all tiles
  void finish(); // sums to F
  void sumTile(std::int64_t task);
  void finishRow(std::int64_t row);
  /// Sums of [first, first + count) in grid order to `re`, `im`: chunks added, padding skipped,
  /// multiplied by cis(q.centre).
  void gather(std::int64_t first, std::int64_t count, double *re, double *im) const;

  Kernel kernel;
  Grid grid;
  PlanOptions options;
  std::string target;
  const facet_variant *variant = nullptr;
  std::string reason;
  Records records;
  Layout layout;
  Pool pool;
  std::function<void(double, double)> progress;

  std::vector<double> params;
  bool packed = false; // `narrow` and `wide` hold the records as they are, for `params`
  AlignedVector<std::byte> narrow;
  AlignedVector<double> wide, sumRe, sumIm;
  std::array<std::vector<std::complex<double>>, 3> turn; // cis(q_k centre_k) along axis k
  std::vector<std::complex<double>> f;
  std::vector<std::int64_t> zeros; // q = 0 exactly
  double seconds = 0;
  std::atomic<std::int64_t> done{0}; // triangle-q-points
  std::atomic<std::int64_t> notFinite{0}, firstNotFinite{0};
  std::atomic<bool> badSums{false};
};

/// "(0.1, 0, 2+0.01i)".
std::string showQ(const std::array<std::complex<double>, 3> &q);

} // namespace facet::runtime
