// points.h - q of a grid as a list.
#pragma once
#include <cstdint>
#include <facet/runtime/grid.h>
#include <vector>

namespace facet::runtime {

/// The q of a list as a grid of points.
Grid pointsOf(const Grid &grid, const std::vector<std::int64_t> &at);
/// All of them.
Grid pointsOf(const Grid &grid);

} // namespace facet::runtime
