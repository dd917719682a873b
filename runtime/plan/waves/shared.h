// shared.h - slopes that are one another's times powers of q.
#pragma once
#include "runtime/plan/waves/slopes.h"

namespace facet::runtime {

/// Transforms of one wave, each with its own slope, made into fewer that serve several: of those with slopes c q^p B the slope is B.
/// axes: whose powers may be taken.
std::vector<SharedTransform> shared(std::vector<SharedTransform> each, const Grid &grid,
                                    const PowerAxes &axes);

} // namespace facet::runtime
