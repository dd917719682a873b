// sphere_rule.h - directions that are enough for values with a point group: one of each orbit.
#pragma once
#include "runtime/scattering/sample/orientation.h"
#include "runtime/scattering/sample/point_group.h"

namespace facet::runtime {

/// A rule for values on the sphere that the rotations of a group leave as they are. About
/// the group's axis these are Gauss-Legendre nodes by equal angles of a part of the turn. Half of
/// the nodes are enough if the axis flips or f(-u) = f(u). The groups of tetrahedron, cube and
/// icosahedron take one node of each orbit of a rule by Lebedev, if that is fewer.
class SphereRule {
public:
  /// Exact for degrees below 2 `rings` and `angles`. `mirrored`: f(-u) = f(u). `shift`: by how much
  /// of a step angles are off from a mirror of the group; at 0.5 half of them are enough, if
  /// mirrored.
  SphereRule(const GroupAxes &axes, int rings, int angles, bool mirrored, double shift);
  std::int64_t count() const { return nodes_.empty() ? rings_ * angles_ : std::ssize(nodes_); }
  /// As the body has it before it is turned.
  Direction at(std::int64_t i) const;
  double weight(std::int64_t i) const;

private:
  void setNodes(const GroupAxes &axes, int degree, bool mirrored);
  std::vector<Direction> nodes_; // by Lebedev; else
  GaussRule rule_;
  std::int64_t rings_, angles_; // that are taken
  std::int64_t ofPart_ = 0;     // angles in a part of the turn
  bool halfRings_, halfAngles_;
  double step_ = 0, shift_;
  Matrix3 toBody_;
};

} // namespace facet::runtime
