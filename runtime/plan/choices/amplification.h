// amplification.h - what `finish` makes of an error of the sum, at every q of a grid.
#pragma once
#include "runtime/plan/strategy.h"
#include <cstdint>
#include <map>
#include <vector>

namespace facet::runtime {

/// The q with the largest |q| of those with the same key.
struct LargestQ {
  double norm2 = -1; // |q|^2, nm^-2
  std::int64_t q = -1;
};

/// g(q) = |finish(q, 1) - finish(q, 0)| by a direct variant, and a key for q of about the same |q|
/// and Im q.z: 64 times the group of Im q.z, and the octave of |q|. Returns the keys there are.
std::map<int, LargestQ> amplification(const Work &work, const facet_variant &direct,
                                      std::vector<float> &g, std::vector<std::uint16_t> &keys);

} // namespace facet::runtime
