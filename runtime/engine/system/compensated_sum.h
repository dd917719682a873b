// compensated_sum.h - a sum of doubles that keeps what each addition rounds away.
#pragma once
#include <cstdint>

namespace facet::runtime {

/// The sum of values[0], values[step], .., n of them. By Neumaier, ZAMM 54 (1974) 39, with the
/// error of each addition by Knuth's six operations.
inline double compensatedSum(const double *values, std::int64_t n, std::int64_t step) {
  double sum = 0, lost = 0;
  for (std::int64_t i = 0; i < n; ++i) {
    const double x = values[i * step], next = sum + x, back = next - sum;
    lost += (sum - (next - back)) + (x - back);
    sum = next;
  }
  return sum + lost;
}

} // namespace facet::runtime
