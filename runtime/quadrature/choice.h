// choice.h - the rule and the cut for one triangle.
#pragma once
#include "runtime/quadrature/nodes.h"
#include "runtime/quadrature/rules.h"
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

/// A shell, with what it allows each rule.
struct Demand {
  explicit Demand(const Shell &shell);
  /// Whether a rule, on a triangle cut into cut*cut, is within the shell's tolerance.
  bool metBy(std::size_t rule, int cut, const PhaseRange &range) const;

  Shell shell;
  double logTolerance;
  std::vector<double> half; // real q: largest half range of the phase for each rule
};

/// The shells as demands, largest |q| first, none that asks for no more than another.
std::vector<Demand> demandsOf(const std::vector<Shell> &shells);

/// The rule and cut with the fewest nodes of those that meet every demand. `mesh`, `which`:
/// for the message of Error (a phase beyond 10^4 rad).
RuleChoice chooseRule(const TriangleShape &triangle, const std::vector<Demand> &demands,
                      const std::string &mesh, std::int64_t which);

} // namespace facet::runtime
