// point_group.h - the rotations that leave a mesh as it is: found, named, and what averages over
// orientations make of them.
#pragma once
#include <facet/runtime/mesh.h>
#include <string>
#include <vector>

namespace facet::runtime {

/// Proper rotations about a point of the body that turn its surface, with its own columns, into
/// itself. How flat faces are cut into triangles does not count. If that point is not the middle of
/// the box, which poses turn about, |F| is the same and F has another phase: means of F are not
/// those of all orientations.
struct PointGroup {
  std::vector<Matrix3> rotations; // with the identity; none: it was not looked for
  std::size_t order() const { return rotations.empty() ? 1 : rotations.size(); }
  /// How many of them are turns about an axis, a unit vector.
  int turnsAbout(const Vec3 &axis) const;
  /// That of the body turned by a rotation.
  PointGroup turned(const Matrix3 &by) const;
  /// "D4, 8 rotations", by A. Schoenflies.
  std::string text() const;
  /// Two of them that make all others.
  std::vector<Matrix3> generators() const;
};

/// The axis with the most turns, and what else the group has.
struct GroupAxes {
  Matrix3 frame = noRotation;  // turns the axis to z, and that of a flip to x
  int turns = 1;               // about the axis
  bool flips = false;          // half turns about axes across it
  Matrix3 cube = noRotation;   // turns three axes of half turns to x, y, z
  std::vector<Matrix3> ofCube; // the rotations that permute these, in the frame of the cube
  bool cubic() const { return ofCube.size() >= 12; }
  explicit GroupAxes(const PointGroup &group);
};

/// The group of a closed or open surface whose corners lie as they should to 1e-9 of its size. Only
/// the identity for records that are no triangles, for more than 16384 triangles, or where own
/// columns are places or say not how they turn.
PointGroup pointGroupOf(const Mesh &mesh);

} // namespace facet::runtime
