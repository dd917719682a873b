// axes.cpp - ranges and uniform steps of axes.
#include "runtime/nufft/layout/axes.h"
#include <algorithm>
#include <cmath>
#include <limits>

namespace facet::runtime {

double AxisFacts::largest() const { return std::max(std::abs(low), std::abs(high)); }

AxisFacts factsOf(const Axis &values, std::int64_t first, std::int64_t last) {
  if (last < 0)
    last = static_cast<std::int64_t>(values.re.size());
  AxisFacts facts;
  facts.n = last - first;
  const auto begin = values.re.begin() + first, end = values.re.begin() + last;
  const auto [low, high] = std::minmax_element(begin, end);
  facts.low = *low, facts.high = *high;
  if (values.isComplex()) {
    const auto [imLow, imHigh] =
        std::minmax_element(values.im.begin() + first, values.im.begin() + last);
    facts.imLow = *imLow, facts.imHigh = *imHigh;
    // linspace(a, a, n) may differ from a by a rounding.
    constexpr double rounding = 4 * std::numeric_limits<double>::epsilon();
    if (facts.imHigh - facts.imLow <= rounding * std::max(std::abs(*imLow), std::abs(*imHigh)))
      facts.imHigh = facts.imLow;
  }
  facts.first = *begin;
  if (facts.n < 2 || facts.low == facts.high)
    return facts;
  facts.step = (*(end - 1) - *begin) / static_cast<double>(facts.n - 1);
  // Each value, and the first and last the step comes from, may have been rounded a few times.
  const double rounding = 8 * std::numeric_limits<double>::epsilon() * facts.largest();
  facts.uniform = facts.step != 0;
  for (std::int64_t i = 0; i < facts.n && facts.uniform; ++i)
    facts.uniform =
        std::abs(*(begin + i) - (facts.first + static_cast<double>(i) * facts.step)) <= rounding;
  return facts;
}

} // namespace facet::runtime
