// pose_blocks.h - the mesh of a particle as a pose has it: centred, scaled, turned, a block at a
// time.
#pragma once
#include <facet/runtime/mesh_stream.h>
#include <string>

namespace facet::runtime {

/// The mesh of a particle as it is in its file, in memory or read a block at a time.
struct SceneMesh {
  std::shared_ptr<const MeshBlocks> blocks;
  MeshSummary summary;
  std::int64_t block = 0;   // records that may be in memory at once; 0: all, and they are there
  std::int64_t dropped = 0; // triangles without area
  std::string name, hash;
};

/// Moved by -middle, all lengths times `scale`, turned by a row-major matrix.
std::shared_ptr<const MeshBlocks> poseBlocks(std::shared_ptr<const MeshBlocks> mesh,
                                             const Vec3 &middle, double scale,
                                             const std::array<double, 9> &rotation);
/// What summarise() would find of poseBlocks without a rotation, about the middle of its box.
MeshSummary scaled(const MeshSummary &mesh, double scale);

} // namespace facet::runtime
