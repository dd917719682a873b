// rules.h - the table of quadrature rules on the triangle.
#pragma once
#include <array>
#include <span>
#include <vector>

namespace facet::runtime {

/// A rule: the mean of f over a triangle is about sum_m weight_m f(node_m), exact for polynomials
/// of `degree`. Weights are positive and sum to 1; barycentric coordinates are positive and sum
/// to 1; with a node come its rotations.
struct Rule {
  struct Node {
    double weight;
    std::array<double, 3> at;
  };
  int degree = 0;
  std::vector<Node> nodes;
};

/// All rules, by degree: 1, 2, 4, 5, 7, 8, ... 20.
std::span<const Rule> rules();

} // namespace facet::runtime
