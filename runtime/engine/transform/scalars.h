// scalars.h - real scalars of q in which a kernel's strengths are interpolated: their values on a
// grid, and how many nodes they need, found from a sample of the records.
#pragma once
#include "runtime/engine/sum/records.h"
#include "runtime/engine/system/pool.h"
#include "runtime/engine/transform/nufft/transforms.h"
#include <mutex>

namespace facet::runtime {

/// Columns of some records, as facet_waves_fn takes them.
struct SampledRecords {
  std::int64_t count = 0;
  std::int64_t usual = 0; // the first ones: all are looked at, of others the least smooth only
  std::vector<std::vector<double>> columns;
};
/// Some records in equal steps, and those at which a column is the least or the largest; behind
/// them some thousand others.
SampledRecords sampledRecords(const Source &source);

/// All scalars of the form on a grid, without `count`.
std::vector<NufftScalar> scalarsOf(const facet_transforms &form, const Grid &grid,
                                   const std::vector<double> &params, Pool &pool);

class Decay;

/// Counts of nodes for strengths that stay as they are. Whoever asks again for the same values of
/// scalars, with another tolerance, finds what was evaluated. The last few that differ are kept.
class CountCache {
public:
  /// One that was kept and counts the same, or this one, which is kept from now on.
  std::shared_ptr<Decay> like(std::shared_ptr<Decay> decay);
  void clear();

private:
  std::mutex mutex_;
  std::vector<std::shared_ptr<Decay>> kept_;
};

/// The scalars of `all` that the strengths of a wave read, with `count`, which judges by the
/// sample. `kept` is of this form, these parameters and this sample, which stay as long.
/// Interpolation of f(u) from R Chebyshev points of the first kind errs by at most 2 sum over
/// m >= R of |c_m|, where c_m are the coefficients of its Chebyshev series (Trefethen,
/// Approximation Theory and Approximation Practice, 2013, theorem 4.2 and ch. 8). Coefficients from
/// more points stand for c_m.
std::vector<NufftScalar> countedScalars(const facet_transforms &form, int wave,
                                        const std::vector<NufftScalar> &all,
                                        const std::vector<double> &params,
                                        const SampledRecords &sample, CountCache *kept = nullptr);
/// The parameters, and a number for each scalar of the form: u for those that the wave reads.
std::vector<double> withScalars(const facet_transforms &form, int wave, std::vector<double> params,
                                std::span<const double> u);

} // namespace facet::runtime
