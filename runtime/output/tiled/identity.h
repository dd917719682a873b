// identity.h - hashes of what a result is of.
#pragma once
#include <facet/runtime/grid.h>
#include <facet/runtime/mesh.h>
#include <string>

namespace facet::runtime {

/// 32 hex digits over every number of a grid: its kind, axes and rows.
std::string hashOf(const Grid &grid);
/// Over triangles, columns and their names; the mesh's own name does not count.
std::string hashOf(const Mesh &mesh);
/// The same of a mesh that is read a block at a time. Throws Error.
std::string hashOf(const MeshBlocks &mesh);

} // namespace facet::runtime
