// polygon.h - polygons of mesh files cut into triangles.
#pragma once
#include <facet/runtime/mesh.h>

namespace facet::runtime {

/// Adds the triangles of a polygon, which face as it does: a fan where it is convex, else ear by
/// ear (G. H. Meisters, Am. Math. Monthly 82 (1975) 648). Nothing of fewer than three corners.
/// False where a polygon is not convex and has more than 1,000 corners, which would take minutes.
bool addPolygon(const std::vector<Vec3> &corners, std::vector<std::array<Vec3, 3>> &to);

} // namespace facet::runtime
