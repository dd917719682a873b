// cut.h - triangles of a closed mesh, cut by a horizontal plane.
#pragma once
#include <array>
#include <cstdint>
#include <facet/runtime/mesh.h>
#include <optional>
#include <vector>

namespace facet::runtime {

/// How near a plane a corner counts as on it, nm, where no coordinate is larger than `largest`.
double roundingOfCut(double largest);
/// What a triangle of a part is of: a triangle of the mesh that was cut, and for each corner two of
/// its corners, between which it lies. Twice the same: it is that one; -1: where the caps meet.
struct CutTriangle {
  std::int64_t of;
  std::array<std::array<std::int8_t, 2>, 3> corners;
};
/// By triangle of each part.
struct CutTriangles {
  std::vector<CutTriangle> below, above;
};

/// What lies below and above z = `height`, nm, with caps of signed triangles that meet at x, y of
/// `point` (none: in the middle of the caps). So the parts of blocks of a mesh, all with one point,
/// add up to those of the mesh. A corner within `rounding` of the plane counts as above it. `of`:
/// what the parts' triangles are of; null: it is not wanted.
MeshParts cutTriangles(const Mesh &some, double height, double rounding,
                       const std::optional<std::array<double, 2>> &point,
                       CutTriangles *of = nullptr);

} // namespace facet::runtime
