// directions.cpp - directions on the sphere: Gauss-Legendre by equal angles, Fibonacci spirals.
#include "runtime/experiment/average/directions.h"
#include "runtime/experiment/average/gauss.h"
#include <cmath>
#include <facet/runtime/error.h>
#include <numbers>
#include <string>

namespace facet::runtime {

int gaussOrder(double qRadius) { return static_cast<int>(std::ceil(qRadius)) + 12; }

std::vector<Direction> gaussDirections(int m, bool half) {
  const GaussRule rule = gaussRule(m);
  const int angles = half ? m : 2 * m;
  std::vector<Direction> directions;
  directions.reserve(rule.at.size() * static_cast<std::size_t>(angles));
  for (std::size_t i = 0; i < rule.at.size(); ++i) {
    const double z = rule.at[i], r = std::sqrt(1 - z * z);
    for (int j = 0; j < angles; ++j) {
      // Half a step off, so that no direction lies in the plane y = 0, where many bodies have
      // faces.
      const double phi = std::numbers::pi * (j + 0.5) / m;
      directions.push_back(
          {{r * std::cos(phi), r * std::sin(phi), z}, rule.weight[i] / (2 * angles)});
    }
  }
  return directions;
}

std::vector<Direction> fibonacciDirections(std::int64_t n) {
  if (n < 1)
    throw Error("directions", "there must be one at least, not " + std::to_string(n));
  std::vector<Direction> directions;
  directions.reserve(static_cast<std::size_t>(n));
  const double turn = (std::sqrt(5.0) - 1) / 2, count = static_cast<double>(n);
  for (std::int64_t i = 0; i < n; ++i) {
    // A. Gonzalez, Math. Geosci. 42 (2010) 49: rings of equal area, each a golden part of a turn
    // on; half a step off the pole in z and in angle.
    const double at = static_cast<double>(i) + 0.5, z = 1 - 2 * at / count,
                 r = std::sqrt((1 - z) * (1 + z)), part = at * turn;
    const double phi = 2 * std::numbers::pi * (part - std::floor(part));
    directions.push_back({{r * std::cos(phi), r * std::sin(phi), z}, 1 / count});
  }
  return directions;
}

} // namespace facet::runtime
