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

/// Nodes that the loops work on at a time: windows are made as long along x, by nodes of weight 0.
template <class T> constexpr std::int64_t NodesTogether = 16 / sizeof(T);

/// Complex nodes of the fine grid for each transform, x fastest, of floats or doubles T. Rows have
/// nodes to spare for windows that are made longer.
template <class T> struct Nodes {
  T *values = nullptr;
  std::array<std::int32_t, 3> first{}; // the first node of each axis
  std::int64_t row = 0, plane = 0;     // numbers from one row, and plane, to the next
  std::int64_t transform = 0;          // from one transform to the next
};

/// The orders of a derivative by x, y and z, which add up to 2 at most.
using Orders = std::array<std::uint8_t, 3>;

template <class T> struct SpreadWork {
  std::array<const T *, 3> coefficients{}; // of Window, of each order
  int degree = 0, width = 0, axes = 0;
  TilePoints points;
  Nodes<T> nodes;
  int transforms = 0;
  const double *scales = nullptr; // of floats: what each transform's strengths are multiplied by
  bool longVectors = true;        // where the processor has them
};

/// Adds strengths[k][point] times the window to the nodes, for floats times scales[k] too.
void spreadPoints(const SpreadWork<double> &work, const std::complex<double> *const *strengths);
void spreadPoints(const SpreadWork<float> &work, const std::complex<double> *const *strengths);

/// values[k * count + d][point] = the sum of the nodes times derivative d of the window at the
/// point; derivatives are by the point's place, in nodes. If count is 0: times the window itself,
/// as always for floats.
void interpolatePoints(const SpreadWork<double> &work, const Orders *derivatives, int count,
                       std::complex<double> *const *values);
void interpolatePoints(const SpreadWork<float> &work, const Orders *derivatives, int count,
                       std::complex<double> *const *values);

} // namespace facet::runtime
