// mesh_input.h - the mesh of a run: in memory, or read a block at a time if it does not fit.
#pragma once
#include "runtime/blocks/mpi/communicator.h"
#include <facet/runtime/experiment.h>
#include <facet/runtime/kernel.h>
#include <facet/runtime/plan.h>

namespace facet::cli {

struct MeshInput {
  std::shared_ptr<const runtime::Mesh> mesh;         // for the plan; a part of it if `whole` is set
  std::shared_ptr<const runtime::MeshBlocks> blocks; // all of it
  std::shared_ptr<const runtime::WholeMesh> whole;   // null if the mesh is in memory
  std::int64_t dropped = 0;                          // triangles without area
  std::string hash;                                  // of all of it
  bool streamed = false;
  std::int64_t block = 0; // records that may be in memory at once, if streamed
  int workers = 0;        // that may each hold a block; 0: any number
  std::int64_t size() const { return blocks->size(); }
};

/// All ranks together: rank 0 reads it once; if it does not fit `memory` (0: most of what is free),
/// every rank reads it, a block at a time. `share`: of the memory, for a mesh that could be read in
/// blocks. `roles`: of the kernel's columns, if it is known. Throws Error.
MeshInput meshOf(runtime::Communicator &ranks, const runtime::Particle &particle, double memory,
                 const runtime::ColumnRoles &roles, double share = 1);
/// Bytes of the blocks that may be in memory at once; 0 of a mesh that is there whole.
double blockBytes(const MeshInput &input);
/// What is left for the plan of a mesh in blocks.
double memoryForPlan(const MeshInput &input, double memory);

} // namespace facet::cli
