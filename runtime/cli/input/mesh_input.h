// mesh_input.h - the meshes of a run: in memory, or read a block at a time if they do not fit.
#pragma once
#include "runtime/blocks/mpi/communicator.h"
#include "runtime/experiment/scene/bodies.h"
#include <facet/runtime/experiment.h>
#include <facet/runtime/kernel.h>
#include <facet/runtime/plan.h>

namespace facet::cli {

struct MeshInput : runtime::SceneMesh {
  std::shared_ptr<const runtime::Mesh> mesh; // null if it is read in blocks
  std::int64_t dropped = 0;                  // triangles without area
  std::string hash;                          // of all of it
  int workers = 0;                           // that may each hold a block; 0: any number
  bool streamed() const { return block > 0; }
  std::int64_t size() const { return blocks->size(); }
};

/// All ranks together: rank 0 reads it once; if it does not fit `memory` (0: most of what is free),
/// every rank reads it, a block at a time. `roles`: of the kernel's columns. Throws Error.
MeshInput meshOf(runtime::Communicator &ranks, const runtime::Particle &particle, double memory,
                 const runtime::ColumnRoles &roles);
/// Bytes of the blocks that may be in memory at once; 0 of a mesh that is there whole.
double blockBytes(const MeshInput &input);
/// What is left for the plan of a mesh in blocks.
double memoryForPlan(const MeshInput &input, double memory);

using MeshInputs = std::vector<MeshInput>;
/// Of one mesh or of all.
std::string hashOf(const MeshInputs &inputs);
std::int64_t recordsOf(const MeshInputs &inputs);
bool isStreamed(const MeshInputs &inputs);

// Meshes of a scene, one a particle, which are turned pose by pose
// ---------------------------------------------------------------------------
/// As meshOf, with roles still to be set; what does not fit the memory of a rank, each mesh its share
/// of it, is read in blocks.
MeshInputs meshesOf(runtime::Communicator &ranks, const runtime::Experiment &e, double memory);
bool haveColumns(const MeshInputs &inputs);
/// All ranks together: tells meshes with columns of their own what these are, so that they are posed
/// with the rest.
void setRoles(runtime::Communicator &ranks, const runtime::ColumnRoles &roles, MeshInputs &inputs);
/// Bytes that those in memory take, with what is made of them.
double bytesInMemory(const MeshInputs &inputs);
/// Bytes of `memory` that one evaluator may take for its sums, beside records; some at least.
double memoryForSums(const MeshInputs &inputs, double memory);

} // namespace facet::cli
