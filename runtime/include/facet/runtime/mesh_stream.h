// mesh_stream.h - meshes that need not fit the memory: read a block at a time, summed up, thinned.
#pragma once
#include "mesh.h"
#include <optional>

namespace facet::runtime {

/// Blocks of a mesh file, read when needed: HDF5 with /triangles [n, 3, 3] or columns [n],
/// [n, 3], and binary STL. `unit`: nm for one unit of the file; none: as for readMesh. What is read
/// is what readMesh gives, record by record: zero-area triangles are left out (see `dropped`).
/// Opening reads the file once, in little memory. Throws Error: as readMesh; other formats;
/// triangles by index.
std::shared_ptr<const MeshBlocks> openMeshBlocks(const std::string &path,
                                                 std::optional<double> unit = std::nullopt,
                                                 std::int64_t *dropped = nullptr);

/// How many records a mesh file has, without reading them.
struct MeshFileSize {
  std::int64_t records = 0;
  bool blocks = false; // openMeshBlocks reads it; else `records` is a guess from the file's size
};
MeshFileSize meshFileSize(const std::string &path);

/// A mesh in numbers, for plans. Records that have no place have a size only.
struct MeshSummary {
  std::int64_t size = 0;
  bool surface = false, corners = false; // triangles or facets; triangles with corners
  bool places = false;                   // there is a place: eachPlace
  Vec3 low{}, high{};                    // their bounding box, nm
  double farthest = 0;                   // place from the middle of the box, nm
  double farthestFromOrigin = 0;         // nm
  double area = 0, volume = 0;           // nm^2, nm^3 (signed, about the middle)
  Vec3 areaNormal{};                     // sum s n, nm^2: 0 of a closed surface
  double longestEdge = 0;                // nm
  std::optional<Moments> moments;        // none: open, or no corners
  Vec3 middle() const;
  /// By sum s n: all that is seen of a mesh whose edges are not kept.
  bool closed() const;
};
/// Reads the mesh twice, in the memory of some ten thousand records. Throws Error.
MeshSummary summarise(const MeshBlocks &mesh);
/// The same of a mesh in memory, whose own columns are what `roles` says.
MeshSummary summarise(const Mesh &mesh, const ColumnRoles &roles);
inline MeshSummary summarise(const Mesh &mesh) { return summarise(mesh, mesh.roles); }

/// At most `count` records, evenly spread over the mesh. Throws Error.
Mesh thinned(const MeshBlocks &mesh, std::int64_t count);
/// Blocks with constant columns added, roles given, turned about the origin (row-major).
std::shared_ptr<const MeshBlocks> changed(std::shared_ptr<const MeshBlocks> mesh,
                                          const Matrix3 &matrix,
                                          const std::map<std::string, double> &columns,
                                          const ColumnRoles &roles);
/// Every triangle cut into n*n alike, as refined() does.
std::shared_ptr<const MeshBlocks> refined(std::shared_ptr<const MeshBlocks> mesh, int n);
/// Writes HDF5 block by block, the datasets that writeMesh writes; throws Error.
void writeMeshBlocks(const MeshBlocks &mesh, const std::string &path);

} // namespace facet::runtime
