// layout.cpp - how a result is shown: as an image, a curve, a scatter of points or a volume.
#include "runtime/engine/store/layout.h"
#include <algorithm>
#include <functional>

namespace facet::runtime {

namespace {
double spread(const Axis &axis) {
  auto [low, high] = std::minmax_element(axis.re.begin(), axis.re.end());
  return low == axis.re.end() ? 0 : *high - *low;
}

PictureLayout ofProduct(const Grid &grid) {
  PictureLayout layout{.product = true};
  const auto n = grid.extents();
  const std::int64_t strides[] = {n[1] * n[2], n[2], 1};
  const auto isLong = [](std::int64_t count) { return count > 1; };
  const auto longAxes = std::ranges::count_if(n, isLong);
  if (longAxes < 2) {
    layout.along =
        longAxes == 0 ? 0 : static_cast<int>(std::ranges::find_if(n, isLong) - n.begin());
    layout.columns = grid.size();
    return layout;
  }
  // The later component is vertical: qz in (qy, qz) and (qx, qz), qy in (qx, qy).
  layout.view = longAxes == 3 ? View::Volume : View::Image;
  layout.rowAxis = n[2] > 1 ? 2 : 1;
  layout.columnAxis = longAxes == 3 || n[0] == 1 ? 1 : 0;
  layout.rows = n[layout.rowAxis];
  layout.columns = n[layout.columnAxis];
  layout.rowStride = strides[layout.rowAxis];
  layout.columnStride = strides[layout.columnAxis];
  layout.first = longAxes == 3 ? n[0] / 2 * strides[0] : 0;
  return layout;
}

PictureLayout ofPoints(const Grid &grid) {
  if (grid.imageRows > 1 && grid.imageColumns > 1)
    return {.view = View::Image,
            .rows = grid.imageRows,
            .columns = grid.imageColumns,
            .rowStride = grid.imageColumns};
  PictureLayout layout{.columns = grid.size()};
  // The two components that vary most; a curve if only one does.
  std::array<int, 3> order{0, 1, 2};
  std::ranges::stable_sort(order, std::greater(), [&](int k) { return spread(grid.axes[k]); });
  layout.along = order[0];
  if (grid.size() > 1 && spread(grid.axes[order[1]]) > 1e-9 * spread(grid.axes[order[0]])) {
    layout.view = View::Scatter;
    layout.columnAxis = std::min(order[0], order[1]);
    layout.rowAxis = std::max(order[0], order[1]);
  }
  return layout;
}
} // namespace

PictureLayout layoutOf(const Grid &grid) {
  return grid.kind == Grid::Kind::Product ? ofProduct(grid) : ofPoints(grid);
}

} // namespace facet::runtime
