// squares.cpp - |F|^2 of a box of F, in the order of the picture.
#include "runtime/output/tiled/state.h"
#include <complex>

namespace facet::runtime::tiled {
namespace {

/// One or both of the long axes of a product: which become rows and columns of the picture.
Box turned(const Box &box, int rows, int columns) {
  const auto r = static_cast<std::size_t>(rows), c = static_cast<std::size_t>(columns);
  return {{box.begin[r], box.begin[c]}, {box.end[r], box.end[c]}};
}

/// The stretch of a curve: of the three axes of the box one at most is long.
Box stretch(const Shape &shape, const Box &box) {
  std::int64_t first = 0;
  for (std::size_t k = 0; k < shape.size(); ++k)
    first = first * shape[k] + box.begin[k];
  return {{first}, {first + elements(box)}};
}

} // namespace

Squared squaresOf(const Shape &f, const Shape &i, const PictureLayout &layout, const Box &box,
                  const void *values) {
  const auto *from = static_cast<const std::complex<double> *>(values);
  Squared to{box, std::vector<double>(static_cast<std::size_t>(elements(box)))};
  const bool turn = f.size() == 3 && i.size() == 2;
  if (!turn) {
    if (i.size() < f.size())
      to.box = stretch(f, box);
    for (std::size_t k = 0; k < to.values.size(); ++k)
      to.values[k] = std::norm(from[k]);
    return to;
  }
  // Rows are the later axis, along which F lies side by side.
  to.box = turned(box, layout.rowAxis, layout.columnAxis);
  const auto rows = static_cast<std::size_t>(to.box.end[0] - to.box.begin[0]);
  const auto columns = static_cast<std::size_t>(to.box.end[1] - to.box.begin[1]);
  constexpr std::size_t tile = 32; // both sides of the turn stay in the cache
  for (std::size_t r0 = 0; r0 < rows; r0 += tile)
    for (std::size_t c0 = 0; c0 < columns; c0 += tile)
      for (std::size_t r = r0; r < std::min(r0 + tile, rows); ++r)
        for (std::size_t c = c0; c < std::min(c0 + tile, columns); ++c)
          to.values[r * columns + c] = std::norm(from[c * rows + r]);
  return to;
}

} // namespace facet::runtime::tiled
