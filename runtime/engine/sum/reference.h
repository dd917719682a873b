// reference.h - what the kernel library's reference says at one q.
#pragma once
#include <array>
#include <complex>
#include <cstdint>
#include <facet/runtime/kernel.h>
#include <vector>

namespace facet::runtime {

/// What the kernel library's reference says: the outputs of F, sum |term|, |dF/dsum| of each.
struct Reference {
  std::array<std::complex<double>, FACET_MOST_OUTPUTS> f{};
  double sumAbs = 0;
  std::array<double, FACET_MOST_OUTPUTS> factors{};
};
/// The reference at one q, summed over the first `count` records of the columns
/// (Records::columnsAt).
Reference referenceAt(const Kernel &kernel, const std::array<std::complex<double>, 3> &q,
                      const std::vector<const double *> &columns, std::int64_t count,
                      const std::vector<double> &params);
/// How far rounding may put an output off; `reach`: the largest distance of a record from the
/// origin, nm, 0 if not known.
double roundingOf(const Reference &reference, std::size_t output,
                  const std::array<std::complex<double>, 3> &q, double reach);
/// How large an output would be if no terms cancelled.
double scaleOf(const Reference &reference, std::size_t output);

} // namespace facet::runtime
