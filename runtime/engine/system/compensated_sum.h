// compensated_sum.h - a sum of doubles that keeps what each addition rounds away.
#pragma once
#include <cstdint>

namespace facet::runtime {

/// A. Neumaier, ZAMM 54 (1974) 39, with the error of each addition by Knuth's six operations.
struct CompensatedSum {
  double sum = 0, lost = 0;
  void add(double x) {
    const double next = sum + x, back = next - sum;
    lost += (sum - (next - back)) + (x - back);
    sum = next;
  }
  double value() const { return sum + lost; }
};

/// The sum of values[0], values[step], .., n of them.
inline double compensatedSum(const double *values, std::int64_t n, std::int64_t step) {
  CompensatedSum all;
  for (std::int64_t i = 0; i < n; ++i)
    all.add(values[i * step]);
  return all.value();
}

} // namespace facet::runtime
