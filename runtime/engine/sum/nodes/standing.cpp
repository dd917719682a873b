// standing.cpp - records drawn by shares of the sum of their sizes.
#include "runtime/engine/sum/nodes/standing.h"
#include <cmath>
#include <numeric>

namespace facet::runtime {

// One record within each share; one that is larger than a share is there for several. The mean size
// is added to each: what small ones have of the sum may not fall as their size does.
std::vector<WeightedRecord> standingFor(const std::vector<double> &sizes, std::int64_t most) {
  const auto n = static_cast<std::int64_t>(sizes.size());
  std::vector<WeightedRecord> all;
  if (n <= most) {
    for (std::int64_t t = 0; t < n; ++t)
      all.push_back({t, 1});
    return all;
  }
  const double sum = std::accumulate(sizes.begin(), sizes.end(), 0.0);
  const bool known = sum > 0 && std::isfinite(sum);
  const double mean = known ? sum / static_cast<double>(n) : 1;
  const auto size = [&](std::int64_t t) { return mean + (known ? sizes[t] : 0); };
  const double share = mean * static_cast<double>(n) * (known ? 2 : 1) / static_cast<double>(most);
  // Multiples of the golden ratio: meshes are ordered, and a regular step could meet their period.
  constexpr double golden = 0.6180339887498949;
  std::int64_t t = 0;
  double end = size(0); // of the sizes of records to t
  for (std::int64_t k = 0; k < most; ++k) {
    const double in = golden * static_cast<double>(k + 1);
    const double at = share * (static_cast<double>(k) + in - std::floor(in));
    while (t + 1 < n && end <= at)
      end += size(++t);
    if (all.empty() || all.back().record != t)
      all.push_back({t, 0});
    all.back().stands += share / size(t);
  }
  return all;
}

} // namespace facet::runtime
