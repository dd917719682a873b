// small_angle.cpp - product grids in place of pixels, and their errors against every pixel.
#include "runtime/experiment/detector/detector.h"
#include "setups.h"
#include <algorithm>
#include <cmath>

namespace facet::test {
namespace {

/// Largest |q(pixel) - (0, qy, qz)| by the formulas of angles, over pixels above the horizon.
double bruteForce(const Geometry &geometry, const SmallAngleGrid &grid) {
  double most = 0;
  for (std::size_t i = 0; i < grid.qz.size(); ++i)
    for (std::size_t j = 0; j < grid.qy.size(); ++j) {
      const Pixel p = geometry.pixel(static_cast<double>(i), static_cast<double>(j));
      if (p.behind || (geometry.grazing() && grid.alphaF[i] < 0))
        continue;
      const double ai = geometry.alphaI();
      const double x = k * (std::cos(p.alphaF) * std::cos(p.phiF) - std::cos(ai)),
                   y = k * std::cos(p.alphaF) * std::sin(p.phiF) - grid.qy[j],
                   z = k * (std::sin(p.alphaF) + std::sin(ai)) - grid.qz[i];
      most = std::max(most, std::hypot(x, y, z));
    }
  return most;
}

Detector binned(double distance) {
  Detector d = camera(distance);
  d.rows = 131, d.columns = 123, d.pixel1 = d.pixel2 = 8 * 172e-6;
  return d;
}

TEST(SmallAngle, BoundIsThatOfAllPixels) {
  Detector crooked = binned(2);
  crooked.rotation = {0.01, -0.02, 0.05}, crooked.orientation = 2;
  for (const Detector &d : {binned(1), binned(5), crooked})
    for (const Geometry &geometry : {Geometry(d), Geometry(d, 0.2 * degree)}) {
      const SmallAngleGrid grid = smallAngleGrid(geometry, k);
      const double is = bruteForce(geometry, grid);
      EXPECT_GE(grid.dq, is * (1 - 1e-9));
      EXPECT_LE(grid.dq, 1.02 * is); // pixels just behind the horizon, of rows before it
      EXPECT_LE(grid.dq, std::hypot(grid.dqx, grid.dqy, grid.dqz) * (1 + 1e-12));
      EXPECT_GE(grid.dq, std::max({grid.dqx, grid.dqy, grid.dqz}));
    }
}

// The table of docs/experiments.md: what is lost by qx = 0, and at most what a grid of one angle a
// column and a row leaves of qy and qz.
TEST(SmallAngle, ErrorsFallWithTheDistance) {
  struct Row {
    double distance, qx, angles;
  };
  for (const Row &row :
       {Row{1, 0.67, 5e-2}, Row{2, 0.16, 6e-3}, Row{5, 0.023, 4e-4}, Row{10, 0.0045, 5e-5}}) {
    const SmallAngleGrid grid = smallAngleGrid(Geometry(camera(row.distance), 0.2 * degree), k);
    EXPECT_NEAR(grid.dqx, row.qx, 0.03 * row.qx);
    EXPECT_LE(std::hypot(grid.dqy, grid.dqz), 1.3 * row.angles);
    EXPECT_GE(std::hypot(grid.dqy, grid.dqz), 0.2 * row.angles);
  }
}

TEST(SmallAngle, GridsLieInTheMiddleOfTheirPixels) {
  const Geometry geometry(binned(2), 0.2 * degree);
  const SmallAngleGrid grid = smallAngleGrid(geometry, k);
  double low = 1e9, high = -1e9;
  for (int j = 0; j < 123; ++j) {
    const double qz = geometry.q(k, 100, j)[2];
    low = std::min(low, qz), high = std::max(high, qz);
  }
  EXPECT_DOUBLE_EQ(grid.qz[100], (low + high) / 2);
  EXPECT_NEAR(k * (std::sin(grid.alphaF[100]) + std::sin(0.2 * degree)), grid.qz[100], 1e-12);
  EXPECT_LT(grid.alphaF[0], 0);
  EXPECT_GT(grid.qy[0], 0); // column 0 is at the left seen from behind, y > 0
}

TEST(SmallAngle, OnePixelIsItsOwnGrid) {
  Detector d = camera();
  d.rows = d.columns = 1;
  const SmallAngleGrid grid = smallAngleGrid(Geometry(d), k);
  EXPECT_EQ(grid.qz[0], Geometry(d).q(k, 0, 0)[2]);
  EXPECT_EQ(grid.dq, grid.dqx);
}

} // namespace
} // namespace facet::test
