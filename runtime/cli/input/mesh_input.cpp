// mesh_input.cpp - decides whether a mesh fits the memory, and opens it.
#include "runtime/cli/input/mesh_input.h"
#include "runtime/blocks/mpi/blocks.h"
#include "runtime/output/tiled/identity.h"
#include "runtime/planner/budget.h"
#include "runtime/planner/machine.h"
#include <algorithm>
#include <facet/runtime/error.h>
#include <fmt/format.h>

namespace facet::cli {
using namespace facet::runtime;
namespace {

/// Evaluators that each hold a block; fixed, so that blocks, and with them the bits of a result,
/// depend on the memory allowed but not on threads.
constexpr int workers = 4;
constexpr std::int64_t leastBlock = 4096, mostBlock = 1 << 18;

double memoryOf(double memory) { return memory > 0 ? memory : freeMemory(); }

std::int64_t blockFor(double memory) {
  const double room = std::max(bytes::shareOfBlocks * (memory - bytes::program), 0.0);
  const auto records = static_cast<std::int64_t>(room / (bytes::ofBlockRecord * (1 + workers)));
  return std::clamp(records / 1024 * 1024, leastBlock, mostBlock);
}

std::shared_ptr<const MeshBlocks> open(const Particle &p, const ColumnRoles &roles,
                                       std::int64_t *dropped) {
  auto mesh = openMeshBlocks(p.mesh, p.unit, dropped);
  const Orientations &o = p.orientation;
  if (!o.fixed() && p.columns.empty() && roles.empty())
    return mesh;
  return changed(mesh, eulerZyz(o.fixed() ? o.euler[0] : std::array<double, 3>{}), p.columns,
                 roles);
}

/// Whether the mesh of a particle, with what is made of it, takes more than `memory` bytes (0:
/// most of what is free) and is to be read a block at a time. Throws Error if it should and
/// cannot: other formats than HDF5 and binary STL.
bool needsBlocks(const Particle &p, double memory) {
  if (!p.shape.empty())
    return false;
  const MeshFileSize file = meshFileSize(p.mesh);
  const double needed = bytes::program + bytes::ofRecord * static_cast<double>(file.records);
  const double allowed = memoryOf(memory);
  // Small meshes fit whatever is said: blocks of them would be no smaller.
  if (needed <= allowed || file.records <= leastBlock)
    return false;
  if (!file.blocks && file.records > mostBlock)
    throw Error(p.mesh,
                fmt::format("about {} triangles take {} of memory, {} allowed, and a mesh of this "
                            "format is read whole only",
                            file.records, showBytes(needed), showBytes(allowed)),
                fmt::format("convert it to HDF5 first (facet mesh convert {} -o mesh.h5), which is "
                            "read a block at a time, or allow more with --memory",
                            p.mesh));
  return file.blocks;
}

} // namespace

MeshInput meshOf(Communicator &ranks, const Particle &p, double memory, const ColumnRoles &roles,
                 double share) {
  const bool first = ranks.rank() == 0;
  if (first && share < 1 && (!p.shape.empty() || !meshFileSize(p.mesh).blocks))
    share = 1;
  MeshInput input;
  input.streamed = first && needsBlocks(p, share * memory);
  ranks.broadcast(&input.streamed, sizeof input.streamed);
  if (!input.streamed) {
    auto mesh = std::make_shared<Mesh>();
    if (first)
      *mesh = makeMesh(p, &input.dropped, roles);
    broadcast(ranks, *mesh);
    input.blocks = blocksOf(mesh);
    input.hash = hashOf(*mesh);
    input.mesh = std::move(mesh);
    return input;
  }
  input.workers = workers;
  input.blocks = open(p, roles, &input.dropped);
  if (first) {
    auto whole = std::make_shared<WholeMesh>();
    whole->blocks = input.blocks;
    whole->summary = summarise(*input.blocks);
    whole->block = input.block = blockFor(memoryOf(memory));
    input.mesh = std::make_shared<const Mesh>(thinned(*input.blocks, whole->block));
    input.whole = std::move(whole);
    input.hash = hashOf(*input.blocks);
  }
  ranks.broadcast(input.hash);
  ranks.broadcast(&input.block, sizeof input.block);
  return input;
}

double blockBytes(const MeshInput &input) {
  return bytes::ofBlockRecord * static_cast<double>(input.block) * (1 + workers);
}

double memoryForPlan(const MeshInput &input, double memory) {
  if (!input.whole)
    return memory;
  const double allowed = memoryOf(memory);
  return std::max(allowed - bytes::program - blockBytes(input), bytes::leastShareOfSums * allowed);
}

} // namespace facet::cli
