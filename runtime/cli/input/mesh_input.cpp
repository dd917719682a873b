// mesh_input.cpp - decides whether a mesh fits the memory, opens it, warns of what it is.
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
  const double room = std::max(0.4 * (memory - bytes::program), 0.0);
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

void warn(const std::string &text) { fmt::print(stderr, "facet: warning: {}\n", text); }

void warnOfDropped(const std::string &mesh, std::int64_t dropped) {
  if (dropped > 0)
    warn(fmt::format("{}: {} triangle{} without area skipped", mesh, dropped,
                     dropped == 1 ? "" : "s"));
}

std::string insideOut(const std::string &mesh, double volume) {
  return fmt::format("{}: the mesh is inside out (volume {:.4g} nm^3): F has the wrong sign; |F|^2 "
                     "is right\n  help: turn the triangles round",
                     mesh, volume);
}

// What a mesh that is no closed surface means for form factors.
void warnOfWhole(const Kernel &kernel, const Mesh &mesh, std::int64_t dropped) {
  warnOfDropped(mesh.name, dropped);
  if (kernel->triangle == 0)
    return;
  const MeshReport found = inspect(mesh);
  if (!found.closed)
    warn(fmt::format("{}: the mesh is open{}: a volume form factor has no meaning for it, and near "
                     "q = 0 it grows as 1/q\n  help: close the mesh; see facet mesh inspect",
                     mesh.name,
                     found.openEdges > 0 ? fmt::format(" ({} open edges)", found.openEdges) : ""));
  else if (!found.oriented)
    warn(fmt::format(
        "{}: some triangles face the other way ({} edges): their contributions have the "
        "wrong sign\n  help: orient all triangles outward; see facet mesh inspect",
        mesh.name, found.flippedEdges));
  else if (!found.balanced())
    warn(fmt::format("{}: corners that should meet do not: the sum of area times normal is {:.1e} "
                     "of the area, not 0; near q = 0 a volume form factor grows as 1/q\n  help: "
                     "write the mesh with more digits, or join its corners",
                     mesh.name, found.gap));
  else if (found.volume < 0)
    warn(insideOut(mesh.name, found.volume));
  if (found.coincident > 0)
    warn(fmt::format("{}: {} of {} triangles lie on others and face the same way: what they bound "
                     "counts twice in F\n  help: take the second body out of the file",
                     mesh.name, found.coincident, found.triangles));
}

void warnOfPart(const Kernel &kernel, const std::string &mesh, const MeshSummary &found) {
  if (kernel->triangle == 0 || !found.surface)
    return;
  if (!found.closed())
    warn(fmt::format("{}: the mesh is open (sum of area times normal is not 0): a volume form "
                     "factor has no meaning for it, and near q = 0 it grows as 1/q\n  help: close "
                     "the mesh",
                     mesh));
  else if (found.volume < 0)
    warn(insideOut(mesh, found.volume));
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
  return std::max(allowed - bytes::program - blockBytes(input), 0.1 * allowed);
}

void warnOfMesh(const Kernel &kernel, const MeshInput &input) {
  if (input.whole) {
    warnOfDropped(input.mesh->name, input.dropped);
    warnOfPart(kernel, input.mesh->name, input.whole->summary);
  } else {
    warnOfWhole(kernel, *input.mesh, input.dropped);
  }
}

} // namespace facet::cli
