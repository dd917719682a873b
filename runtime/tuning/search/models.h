// models.h - partial models of a kernel's time, each of one knob, fitted to few measurements
// (Performance portability in OpenCL, the four-step method).
#pragma once
#include <array>
#include <utility>
#include <vector>

namespace facet::runtime {

/// A call with n records takes t = t_const + t_lat n seconds.
struct BlockModel {
  double tConst = 0, tLat = 0;
  double seconds(double n) const { return tConst + tLat * n; }
  double rate(double n) const { return n / seconds(n); } // records a second
};
/// Least squares over (records, seconds), t_const at least 0. Two different n are needed.
BlockModel fitBlock(const std::vector<std::pair<double, double>> &calls);

/// A vector of v lanes takes t = t1 v (r + (1 - r) / min(v, vMost)): a share r of the work gains
/// nothing from wider vectors.
struct VectorModel {
  double t1 = 0, sequential = 0;
  double perLane(double v) const { return t1 * (sequential + (1 - sequential) / v); }
};
/// From seconds a lane at two widths; `sequential` is between 0 and 1.
VectorModel fitVector(double width1, double perLane1, double width2, double perLane2);

/// A record at one q of a tile of y rows and z vectors takes t = c0 + c1 / y + c2 / z + c3 / (y z):
/// the work of the inner loop, what rows share, what vectors share, what a tile does once.
struct TileModel {
  std::array<double, 4> c{};
  double misfit = 0; // root mean square of (fitted / measured - 1)
  double seconds(int y, int z) const;
};
struct TileTime {
  int y = 1, z = 1;
  double seconds = 0;
};
/// Least squares of the relative errors with no negative c.
TileModel fitTile(const std::vector<TileTime> &measured);

/// n threads are as fast as t = t1 / min(n, cores).
double threadRate(double one, int n, int cores);

} // namespace facet::runtime
