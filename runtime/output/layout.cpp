// layout.cpp - how a result is shown: as an image, a curve, a scatter of points or a volume.
#include "runtime/output/layout.h"
#include <algorithm>
#include <functional>

namespace facet::runtime {

namespace {
double spread(const Axis &axis) {
  auto [low, high] = std::minmax_element(axis.re.begin(), axis.re.end());
  return low == axis.re.end() ? 0 : *high - *low;
}
} // namespace

std::int64_t PictureLayout::index(std::int64_t row, std::int64_t column) const {
  return first + row * rowStride + column * columnStride;
}

void PictureLayout::ofProduct(const Grid &grid) {
  const auto n = grid.extents();
  const std::int64_t strides[] = {n[1] * n[2], n[2], 1};
  const auto isLong = [](std::int64_t count) { return count > 1; };
  const auto longAxes = std::ranges::count_if(n, isLong);
  product = true;
  if (longAxes < 2) {
    along = longAxes == 0 ? 0 : static_cast<int>(std::ranges::find_if(n, isLong) - n.begin());
    columns = grid.size();
    columnStride = 1;
    return;
  }
  // The later component is vertical: qz in (qy, qz) and (qx, qz), qy in (qx, qy).
  view = longAxes == 3 ? View::Volume : View::Image;
  rowAxis = n[2] > 1 ? 2 : 1;
  columnAxis = longAxes == 3 || n[0] == 1 ? 1 : 0;
  rows = n[rowAxis];
  columns = n[columnAxis];
  rowStride = strides[rowAxis];
  columnStride = strides[columnAxis];
  first = longAxes == 3 ? n[0] / 2 * strides[0] : 0;
}

void PictureLayout::ofPoints(const Grid &grid) {
  columnStride = 1;
  if (grid.imageRows > 1 && grid.imageColumns > 1) {
    view = View::Image;
    rows = grid.imageRows;
    columns = rowStride = grid.imageColumns;
    return;
  }
  columns = grid.size();
  // The two components that vary most; a curve if only one does.
  std::array<int, 3> order{0, 1, 2};
  std::ranges::stable_sort(order, std::greater(), [&](int k) { return spread(grid.axes[k]); });
  along = order[0];
  if (grid.size() > 1 && spread(grid.axes[order[1]]) > 1e-9 * spread(grid.axes[order[0]])) {
    view = View::Scatter;
    columnAxis = std::min(order[0], order[1]);
    rowAxis = std::max(order[0], order[1]);
  }
}

PictureLayout layoutOf(const Grid &grid) {
  PictureLayout layout;
  if (grid.kind == Grid::Kind::Product)
    layout.ofProduct(grid);
  else
    layout.ofPoints(grid);
  return layout;
}

} // namespace facet::runtime
