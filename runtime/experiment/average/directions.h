// directions.h - directions on the sphere with weights, for averages that depend on |q| alone.
//
// |F(q)|^2 of a body on a sphere of q is a sum of spherical harmonics up to a degree of about
// 2 |q| R, R half the largest distance within the body: a rule that is exact for more is as good as
// exact, one for less is far off. docs/experiments.md has both in numbers.
#pragma once
#include "runtime/experiment/average/gauss.h"
#include <array>
#include <cstdint>
#include <vector>

namespace facet::runtime {

struct Direction {
  std::array<double, 3> at; // a unit vector
  double weight = 0;        // in the average; all sum to 1
};

/// The order m that averages |F|^2 at |q| R to about 1e-9: ceil(|q| R) + 12.
int gaussOrder(double qRadius);

/// Gauss-Legendre of m nodes in cos theta by 2m equal angles phi: exact for spherical harmonics of
/// degree 2m - 1. `half`: only phi in [0, pi[, m * m directions, none of which is another's
/// negative: the same for values with f(-q) = f(q), such as |F|^2 of a real density.
std::vector<Direction> gaussDirections(int m, bool half);
/// How many these are, and number i of them; `rule`: of m nodes.
std::int64_t directionsOf(int m, bool half);
Direction gaussDirection(const GaussRule &rule, bool half, std::int64_t i);

} // namespace facet::runtime
