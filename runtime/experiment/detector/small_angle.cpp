// small_angle.cpp - the middle of each column's qy and each row's qz, and the largest distance from
// them.
#include "runtime/experiment/detector/small_angle.h"
#include <algorithm>
#include <cmath>
#include <limits>

namespace facet::runtime {
namespace {

struct Range {
  double low = std::numeric_limits<double>::infinity(), high = -low;
  void add(double value) {
    low = std::min(low, value);
    high = std::max(high, value);
  }
};

std::vector<double> middles(const std::vector<Range> &ranges) {
  std::vector<double> values;
  values.reserve(ranges.size());
  for (const Range &r : ranges)
    values.push_back((r.low + r.high) / 2);
  return values;
}

// The line through `values` by least squares.
void makeEven(std::vector<double> &values) {
  const double middle = static_cast<double>(values.size() - 1) / 2;
  double mean = 0, slope = 0, weight = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double x = static_cast<double>(i) - middle;
    mean += values[i];
    slope += x * values[i];
    weight += x * x;
  }
  mean /= static_cast<double>(values.size());
  slope = weight > 0 ? slope / weight : 0;
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = mean + slope * (static_cast<double>(i) - middle);
}

template <class Use> void walk(const Geometry &geometry, double k, const Use &use) {
  const auto rows = static_cast<std::size_t>(geometry.detector().rows),
             columns = static_cast<std::size_t>(geometry.detector().columns);
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t j = 0; j < columns; ++j)
      use(i, j, geometry.q(k, static_cast<double>(i), static_cast<double>(j)));
}

} // namespace

SmallAngleGrid smallAngleGrid(const Geometry &geometry, double k, Spacing spacing) {
  std::vector<Range> columns(static_cast<std::size_t>(geometry.detector().columns)),
      rows(static_cast<std::size_t>(geometry.detector().rows));
  walk(geometry, k, [&](std::size_t i, std::size_t j, const Geometry::Vec3 &q) {
    columns[j].add(q[1]);
    rows[i].add(q[2]);
  });
  SmallAngleGrid grid;
  grid.qy = middles(columns);
  grid.qz = middles(rows);
  if (spacing == Spacing::Even) {
    makeEven(grid.qy);
    makeEven(grid.qz);
  }
  const double sine = std::sin(geometry.alphaI());
  for (const double qz : grid.qz)
    grid.alphaF.push_back(std::asin(std::clamp(qz / k - sine, -1.0, 1.0)));

  walk(geometry, k, [&](std::size_t i, std::size_t j, const Geometry::Vec3 &q) {
    if (geometry.grazing() && grid.alphaF[i] < 0)
      return;
    const double y = q[1] - grid.qy[j], z = q[2] - grid.qz[i];
    grid.dqx = std::max(grid.dqx, std::abs(q[0]));
    grid.dqy = std::max(grid.dqy, std::abs(y));
    grid.dqz = std::max(grid.dqz, std::abs(z));
    grid.dq = std::max(grid.dq, q[0] * q[0] + y * y + z * z);
  });
  grid.dq = std::sqrt(grid.dq);
  return grid;
}

} // namespace facet::runtime
