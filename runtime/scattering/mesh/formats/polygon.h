// polygon.h - a polygon of a mesh file as triangles.
#pragma once
#include "runtime/engine/records/geometry.h"

namespace facet::runtime {

/// Adds the triangles of a polygon, which face as it does: a fan if it is convex, else ear by
/// ear (G. H. Meisters, Am. Math. Monthly 82 (1975) 648). Nothing of fewer than three corners.
/// False if a polygon is not convex and has more than 1,000 corners, which would take minutes.
bool addPolygon(const std::vector<Vec3> &corners, std::vector<Triangle> &to);

} // namespace facet::runtime
