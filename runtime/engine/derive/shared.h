// shared.h - slopes that differ by a number and a power of q.
#pragma once
#include "runtime/engine/derive/slopes.h"

namespace facet::runtime {

/// Joins transforms of one wave, each with its own slope, into fewer that serve several: those with
/// slopes c q^p B share the slope B. axes: along which powers may be taken.
std::vector<SharedTransform> shared(std::vector<SharedTransform> each, const Grid &grid,
                                    const PowerAxes &axes);

} // namespace facet::runtime
