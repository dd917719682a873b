// directions.cpp - directions on the sphere: Gauss-Legendre by equal angles.
#include "runtime/experiment/average/directions.h"
#include "runtime/experiment/average/gauss.h"
#include <cmath>
#include <numbers>

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

} // namespace facet::runtime
