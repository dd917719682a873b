// points.h - q of a grid as a list; where q = 0.
#pragma once
#include <cstdint>
#include <facet/runtime/grid.h>
#include <vector>

namespace facet::runtime {

/// The q of a list as a grid of points.
Grid pointsOf(const Grid &grid, const std::vector<std::int64_t> &at);
/// All of them.
Grid pointsOf(const Grid &grid);
bool isZero(const Grid &grid, std::int64_t at);
/// Indices of q = 0 exactly, in order.
std::vector<std::int64_t> zeroPoints(const Grid &grid);

} // namespace facet::runtime
