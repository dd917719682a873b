// choice.h - the rule and the cut for one triangle.
#pragma once
#include "runtime/quadrature/bound.h"
#include "runtime/quadrature/nodes.h"
#include <string>

namespace facet::runtime {

/// A triangle by its corners from the centroid and its edges, nm.
struct TriangleShape {
  TriangleShape(const std::array<Vec3, 3> &corners, const Matrix3 &rotation);
  Vec3 corner[3], edge[3];
  double farthest = 0, longest = 0; // largest |corner|, |edge|
};

/// What bounds q.(r - c) over the triangle for the q of a shell.
PhaseRange phaseRange(const TriangleShape &triangle, const Shell &shell);

/// Of the rules and cuts whose bound meets every shell, the one with the fewest nodes. Shells with
/// the largest |q| first make it quick. `which`: the record, for the message of Error (a phase
/// beyond 10^4 rad).
RuleChoice chooseRule(const TriangleShape &triangle, const std::vector<Shell> &shells,
                      const std::string &mesh, std::int64_t which);

} // namespace facet::runtime
