// amplification.h - what `finish` makes of an error of the sum, at every q of a grid.
#pragma once
#include "runtime/plan/sums/pool.h"
#include <algorithm>
#include <cstdint>
#include <facet/runtime/grid.h>
#include <facet/runtime/kernel.h>
#include <map>
#include <vector>

namespace facet::runtime {

/// The q with the largest |q| of those with the same key.
struct LargestQ {
  double norm2 = -1; // |q|^2, nm^-2
  std::int64_t q = -1;
};

/// Whose amplification: `direct` has the finish; `radius` as of Records.
struct Amplified {
  const Kernel &kernel;
  const Grid &grid;
  const std::vector<double> &params;
  const facet_variant &direct;
  double radius;
};

/// g(q) = |finish(q, 1) - finish(q, 0)| by a direct variant, and a key for q of about the same |q|
/// and Im q.z: 64 times the group of Im q.z, and the octave of |q|. Returns the keys there are.
std::map<int, LargestQ> amplification(const Amplified &by, Pool &pool, std::vector<float> &g,
                                      std::vector<std::uint16_t> &keys);

/// The q, but for those in `skip` (sorted), whose amplification is beyond limit(q).
template <class Limit>
std::vector<std::int64_t> beyondLimits(const std::vector<float> &g,
                                       const std::vector<std::int64_t> &skip, const Limit &limit) {
  std::vector<std::int64_t> at;
  for (std::size_t q = 0; q < g.size(); ++q)
    if (const auto i = static_cast<std::int64_t>(q);
        static_cast<double>(g[q]) > limit(q) && !std::binary_search(skip.begin(), skip.end(), i))
      at.push_back(i);
  return at;
}

} // namespace facet::runtime
