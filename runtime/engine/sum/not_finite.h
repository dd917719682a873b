// not_finite.h - q where F is not finite: how many, what divides there, what is said of it.
#pragma once
#include "runtime/engine/sum/points.h"
#include "runtime/engine/sum/records.h"
#include <atomic>
#include <complex>
#include <facet/runtime/error.h>
#include <facet/runtime/kernel.h>
#include <functional>
#include <limits>
#include <string>

namespace facet::runtime {

/// "`term`", or "`finish`": what gives no finite number at q i, as the reference has it over a few
/// records.
std::string divides(const Kernel &kernel, const Grid &grid, std::int64_t i, const Records &records,
                    const std::vector<double> &params);
/// Whether F has no value at q i, as far as these records tell.
bool hasNoValue(const Kernel &kernel, const Grid &grid, std::int64_t i, const Records &records,
                const std::vector<double> &params);
/// What to say of F at q = 0 if it has no value there and the kernel no `origin`; `by`: of
/// divides(). `f`: F at zeroPoints(grid), one output after the other. "" if there is nothing to
/// say. Throws Error if these are all q.
std::string remarkAtZero(const Kernel &kernel, const Grid &grid,
                         const std::vector<std::complex<double>> &f,
                         const std::function<std::string()> &by);

/// Counts q where F is not finite, by several threads at once.
class NotFinite {
public:
  void clear() {
    count_ = atZero_ = 0;
    first_ = std::numeric_limits<std::int64_t>::max();
  }
  /// Counts q i. Returns false, and does not count, if it is in `zeros` (sorted): see Work::zeros.
  bool note(std::int64_t i, const std::vector<std::int64_t> &zeros);
  std::int64_t count() const { return count_; }
  std::int64_t first() const { return first_; }
  /// What to throw if count() > 0; `by`: of divides().
  Error error(const Kernel &kernel, const Grid &grid, const std::string &by) const;

private:
  std::atomic<std::int64_t> count_{0}, atZero_{0}, first_{0}; // atZero_: q of `zeros`
};

} // namespace facet::runtime
