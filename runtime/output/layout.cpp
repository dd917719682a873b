// layout.cpp - how a result is shown: as an image, a curve, a scatter of points or a volume.
#include "runtime/output/layout.h"
#include <algorithm>

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

PictureLayout layoutOf(const Grid &grid) {
  PictureLayout layout;
  auto n = grid.extents();
  if (grid.kind == Grid::Kind::Product) {
    layout.product = true;
    const std::int64_t strides[] = {n[1] * n[2], n[2], 1};
    int longAxes = 0;
    for (int k = 0; k < 3; ++k)
      longAxes += n[k] > 1 ? 1 : 0;
    if (longAxes < 2) {
      for (int k = 0; k < 3; ++k)
        if (n[k] > 1)
          layout.along = k;
      layout.columns = grid.size();
      layout.columnStride = 1;
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
  layout.columnStride = 1;
  if (grid.imageRows > 1 && grid.imageColumns > 1) {
    layout.view = View::Image;
    layout.rows = grid.imageRows;
    layout.columns = layout.rowStride = grid.imageColumns;
    return layout;
  }
  layout.columns = grid.size();
  // The two components that vary most; a curve where only one does.
  std::array<int, 3> order{0, 1, 2};
  std::stable_sort(order.begin(), order.end(),
                   [&](int a, int b) { return spread(grid.axes[a]) > spread(grid.axes[b]); });
  layout.along = order[0];
  bool scatter =
      grid.size() > 1 && spread(grid.axes[order[1]]) > 1e-9 * spread(grid.axes[order[0]]);
  if (scatter) {
    layout.view = View::Scatter;
    layout.columnAxis = std::min(order[0], order[1]);
    layout.rowAxis = std::max(order[0], order[1]);
  }
  return layout;
}

} // namespace facet::runtime
