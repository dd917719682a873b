// points.cpp - q of a grid as a list.
#include "runtime/engine/sum/points.h"
#include <algorithm>
#include <numeric>

namespace facet::runtime {

namespace {

bool isZero(const Axis &axis, std::int64_t i) {
  const auto at = static_cast<std::size_t>(i);
  return axis.re[at] == 0 && (axis.im.empty() || axis.im[at] == 0);
}

} // namespace

Grid pointsOf(const Grid &grid, const std::vector<std::int64_t> &at) {
  Grid list;
  list.kind = Grid::Kind::Points;
  for (const std::int64_t i : at) {
    const auto q = grid.at(i);
    for (std::size_t k = 0; k < 3; ++k) {
      list.axes[k].re.push_back(q[k].real());
      if (grid.axes[k].isComplex())
        list.axes[k].im.push_back(q[k].imag());
    }
  }
  return list;
}

Grid pointsOf(const Grid &grid) {
  std::vector<std::int64_t> all(static_cast<std::size_t>(grid.size()));
  std::iota(all.begin(), all.end(), std::int64_t{0});
  return pointsOf(grid, all);
}

bool isZero(const Grid &grid, std::int64_t i) {
  const auto q = grid.at(i);
  return q[0] == 0.0 && q[1] == 0.0 && q[2] == 0.0;
}

// A product grid is not walked point by point.
std::vector<std::int64_t> zeroPoints(const Grid &grid) {
  std::vector<std::int64_t> zeros;
  const auto n = grid.extents();
  if (grid.kind == Grid::Kind::Points) {
    for (std::int64_t i = 0; i < n[0]; ++i)
      if (isZero(grid.axes[0], i) && isZero(grid.axes[1], i) && isZero(grid.axes[2], i))
        zeros.push_back(i);
    return zeros;
  }
  for (std::int64_t x = 0; x < n[0]; ++x)
    for (std::int64_t y = 0; isZero(grid.axes[0], x) && y < n[1]; ++y)
      for (std::int64_t z = 0; isZero(grid.axes[1], y) && z < n[2]; ++z)
        if (isZero(grid.axes[2], z))
          zeros.push_back((x * n[1] + y) * n[2] + z);
  return zeros;
}

} // namespace facet::runtime
