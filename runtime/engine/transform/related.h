// related.h - transforms that follow from one another: strengths that are others times a number, or
// times a coordinate of the points, in which case the sum is a derivative by q.
#pragma once
#include "runtime/engine/transform/waves.h"

namespace facet::runtime {

/// The transforms of a wave: some, the bases, are computed, and all follow from these.
struct RelatedTransforms {
  struct Member {
    std::size_t base; // its place among the bases
    std::size_t
        result; // 0: the base itself; else its derivative along this one of the request's slopes
    std::complex<double> times;
  };
  std::vector<int> bases;
  std::vector<Member> members; // of each transform of the wave
  NufftRequest request;        // of the bases, and their derivatives
};

/// Relates them by the present records. Derivatives are taken if that is expected to save time.
RelatedTransforms relatedOf(const WaveRecords &records, int wave, const Grid &grid,
                            const TransformOptions &how);

} // namespace facet::runtime
