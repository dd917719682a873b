// spread_loops.h - the loops that spread and interpolate the points of a tile of the fine grid.
#pragma once
#include <array>
#include <complex>
#include <cstdint>

namespace facet::runtime {

/// Points whose windows begin in one tile.
struct TilePoints {
  std::int64_t n = 0;
  std::array<const std::int32_t *, 3> node{}; // the first node under the window, of each axis
  std::array<const double *, 3> z{};  // in [0, 1): how far that node is behind the window's edge
  const std::int64_t *from = nullptr; // which point it is
};

/// Complex nodes of the fine grid for each transform, x fastest. Rows have a node to spare, since
/// widths are made even.
struct Nodes {
  double *values = nullptr;
  std::array<std::int32_t, 3> first{}; // the first node of each axis
  std::int64_t row = 0, plane = 0;     // numbers from one row, and plane, to the next
  std::int64_t transform = 0;          // from one transform to the next
};

/// The orders of a derivative by x, y and z, which add up to 2 at most.
using Orders = std::array<std::uint8_t, 3>;

struct SpreadWork {
  std::array<const double *, 3> coefficients{}; // of Window, of each order
  int degree = 0, width = 0, axes = 0;
  TilePoints points;
  Nodes nodes;
  int transforms = 0;
};

/// Adds strengths[k][point] times the window to the nodes.
void spreadPoints(const SpreadWork &work, const std::complex<double> *const *strengths);

/// values[k * count + d][point] = the sum of the nodes times derivative d of the window at the
/// point; derivatives are by the point's place, in nodes. If count is 0: times the window itself.
void interpolatePoints(const SpreadWork &work, const Orders *derivatives, int count,
                       std::complex<double> *const *values);

} // namespace facet::runtime
