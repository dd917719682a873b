// checks.h - what every mesh read from a file goes through: numbers, units, zero-area triangles.
#pragma once
#include <facet/runtime/mesh.h>

namespace facet::runtime {

/// Throws Error for NaN and infinity, lengths that differ, normals that are none. `first`: the
/// number of the mesh's first record in its file.
void checkNumbers(const Mesh &mesh, std::int64_t first = 0);
void checkUnit(double unit);
void scale(Mesh &mesh, double unit);
/// 1 for each triangle without area.
std::vector<char> degenerate(const Mesh &mesh);
/// Takes out the records marked by other than 0.
void drop(Mesh &mesh, const std::vector<char> &marks);

} // namespace facet::runtime
