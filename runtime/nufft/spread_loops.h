// spread_loops.h - the loops over points of a tile of the fine grid: spread and interpolated.
#pragma once
#include <array>
#include <complex>
#include <cstdint>

namespace facet::runtime {

/// Points whose windows begin in one tile.
struct TilePoints {
  std::int64_t n = 0;
  std::array<const std::int32_t *, 3> node{}; // the first node under the window, of each axis
  std::array<const double *, 3> z{};  // in [0, 1): by how much it is behind the window's edge
  const std::int64_t *from = nullptr; // which point it is
};

/// Nodes of the fine grid, complex, some for each transform, x fastest. Rows have a node to spare, since even widths are taken.
struct Nodes {
  double *values = nullptr;
  std::array<std::int32_t, 3> first{}; // of each axis
  std::int64_t row = 0, plane = 0;     // numbers from one row, and plane, to the next
  std::int64_t transform = 0;          // from one transform to the next
};

/// What a derivative along the axes is of: orders of x, y, z, 2 in all at most.
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

/// values[k * derivatives + d][point] = the sum of the nodes times derivative d of the window at the point; derivatives by the point's place,
/// in nodes. None given: the window alone.
void interpolatePoints(const SpreadWork &work, const Orders *derivatives, int count,
                       std::complex<double> *const *values);

} // namespace facet::runtime
