// cut.h - triangles of a closed mesh, cut by a horizontal plane.
#pragma once
#include <array>
#include <facet/runtime/mesh.h>
#include <optional>

namespace facet::runtime {

/// How near a plane a corner counts as on it, nm, where no coordinate is larger than `largest`.
double roundingOfCut(double largest);
/// What lies below and above z = `height`, nm, with caps of signed triangles that meet at x, y of
/// `point` (none: in the middle of the caps). So the parts of blocks of a mesh, all with one point,
/// add up to those of the mesh. A corner within `rounding` of the plane counts as above it.
MeshParts cutTriangles(const Mesh &some, double height, double rounding,
                       const std::optional<std::array<double, 2>> &point);

} // namespace facet::runtime
