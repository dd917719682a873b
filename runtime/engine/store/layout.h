// layout.h - how a result is shown: as an image, a curve, a scatter of points or a volume.
#pragma once
#include <cstdint>
#include <facet/runtime/output.h>

namespace facet::runtime {

enum class View { Image, Curve, Scatter, Volume };

/// What is drawn of a grid. Component 0, 1, 2: qx, qy, qz.
struct PictureLayout {
  View view = View::Curve;
  /// Image: rows and columns of the image, slow and fast. -1: those of a list of q.
  int rowAxis = -1, columnAxis = -1;
  std::int64_t rows = 1, columns = 1;
  /// Curve: the component along it; Scatter: columnAxis and rowAxis are the two drawn.
  int along = 0;
  bool product = false;

  std::int64_t rowStride = 0, columnStride = 1, first = 0;

  /// The flat index in the grid of a place in the image; for a volume, of its middle slice along x.
  std::int64_t index(std::int64_t row, std::int64_t column) const {
    return first + row * rowStride + column * columnStride;
  }
};

PictureLayout layoutOf(const Grid &grid);

inline const char *axisName(int k) {
  const char *const names[] = {"qx", "qy", "qz"};
  return names[k];
}

} // namespace facet::runtime
