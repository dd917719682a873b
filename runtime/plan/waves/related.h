// related.h - transforms that are had of one another: strengths that are others times a number, or times a coordinate of the points, of which
// the sum is a derivative by q.
#pragma once
#include "runtime/plan/waves/waves.h"

namespace facet::runtime {

/// The transforms of a wave: some are made, and all are of these.
struct RelatedTransforms {
  struct Member {
    std::size_t base; // of the bases
    std::size_t
        result; // 0: its transform; else the derivative along so manieth of the request's slopes
    std::complex<double> times;
  };
  std::vector<int> bases;
  std::vector<Member> members; // of each transform of the wave
  NufftRequest request;        // of the bases, and their derivatives
};

/// That of the records as they are. Derivatives are taken where they are expected to take less time.
RelatedTransforms relatedOf(const WaveRecords &records, int wave, const Grid &grid,
                            const HowToTransform &how);

} // namespace facet::runtime
