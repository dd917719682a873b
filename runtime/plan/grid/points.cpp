// points.cpp - q of a grid as a list.
#include "runtime/plan/grid/points.h"
#include <numeric>

namespace facet::runtime {

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

} // namespace facet::runtime
