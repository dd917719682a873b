// mesh_input.h - the meshes of a run: in memory, or read a block at a time if they do not fit.
#pragma once
#include "runtime/engine/run/mpi/communicator.h"
#include "runtime/scattering/scene/bodies.h"
#include <facet/runtime/experiment.h>
#include <facet/runtime/kernel.h>
#include <facet/runtime/plan.h>

namespace facet::cli {

/// All ranks together: rank 0 reads the mesh; if it does not fit `memory` (0: most of what is
/// free), every rank reads it, a block at a time. `roles`: of the kernel's columns. Throws Error.
runtime::SceneMesh meshOf(runtime::Communicator &ranks, const runtime::Particle &particle,
                          double memory, const runtime::ColumnRoles &roles);
/// Bytes of the blocks that may be in memory at once; 0 if the whole mesh is in memory.
double blockBytes(const runtime::SceneMesh &input);
/// How many workers may each hold a block; 0: any number.
int workersOf(const runtime::SceneMesh &input);
/// Bytes of `memory` that are left for the plan beside blocks of the mesh.
double memoryForPlan(const runtime::SceneMesh &input, double memory);

using SceneMeshes = std::vector<runtime::SceneMesh>;
/// The hash of one mesh, or of all.
std::string hashOf(const SceneMeshes &inputs);
std::int64_t recordsOf(const SceneMeshes &inputs);
bool isStreamed(const SceneMeshes &inputs);

// Meshes of a scene, one for each particle, turned pose by pose
// ---------------------------------------------------------------------------
/// Reads meshes like meshOf, with roles still to be set. A mesh that does not fit its share of a
/// rank's memory is read in blocks.
SceneMeshes meshesOf(runtime::Communicator &ranks, const runtime::Experiment &e, double memory);
bool haveColumns(const SceneMeshes &inputs);
/// All ranks together: sets the roles of columns that meshes have themselves, so that these are
/// posed with the rest.
void setRoles(runtime::Communicator &ranks, const runtime::ColumnRoles &roles, SceneMeshes &inputs);

} // namespace facet::cli
