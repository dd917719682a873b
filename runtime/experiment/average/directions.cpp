// directions.cpp - directions on the sphere: Gauss-Legendre by equal angles.
#include "runtime/experiment/average/directions.h"
#include <cmath>
#include <numbers>

namespace facet::runtime {

int gaussOrder(double qRadius) { return static_cast<int>(std::ceil(qRadius)) + 12; }

std::int64_t directionsOf(int m, bool half) { return std::int64_t{m} * (half ? m : 2 * m); }

Direction gaussDirection(const GaussRule &rule, bool half, std::int64_t i) {
  const std::int64_t m = std::ssize(rule.at), angles = half ? m : 2 * m;
  const auto node = static_cast<std::size_t>(i / angles);
  const double z = rule.at[node], r = std::sqrt(1 - z * z);
  // Half a step off, so that no direction lies in the plane y = 0, where many bodies have faces.
  const double phi =
      std::numbers::pi * (static_cast<double>(i % angles) + 0.5) / static_cast<double>(m);
  return {{r * std::cos(phi), r * std::sin(phi), z},
          rule.weight[node] / static_cast<double>(2 * angles)};
}

std::vector<Direction> gaussDirections(int m, bool half) {
  const GaussRule rule = gaussRule(m);
  std::vector<Direction> directions;
  for (std::int64_t i = 0; i < directionsOf(m, half); ++i)
    directions.push_back(gaussDirection(rule, half, i));
  return directions;
}

} // namespace facet::runtime
