// identity.h - hashes of what a result depends on.
#pragma once
#include <facet/runtime/grid.h>
#include <facet/runtime/mesh.h>
#include <string>

namespace facet::runtime {

/// 32 hex digits over every number of a grid: its kind, axes and rows.
std::string hashOf(const Grid &grid);
/// The same over triangles, columns and their names; the mesh's own name does not count.
std::string hashOf(const Mesh &mesh);
/// The same for a mesh that is read a block at a time. Throws Error.
std::string hashOf(const MeshBlocks &mesh);

} // namespace facet::runtime
