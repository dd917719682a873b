// mesh_input.cpp - decides whether meshes fit the memory, which those of a scene share; opens them.
#include "runtime/app/jobs/mesh_input.h"
#include "runtime/engine/run/mpi/blocks.h"
#include "runtime/engine/store/identity.h"
#include "runtime/engine/system/hash.h"
#include "runtime/engine/system/machine.h"
#include "runtime/scattering/scene/budget.h"
#include "runtime/scattering/scene/inputs.h"
#include <algorithm>
#include <facet/runtime/error.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace facet::cli {
using namespace facet::runtime;
namespace {

/// Evaluators that each hold a block. Their number is fixed, so that blocks, and with them the bits
/// of a result, depend on the memory allowed but not on threads.
constexpr int workers = 4;
constexpr std::int64_t leastBlock = 4096, mostBlock = 1 << 18;
constexpr std::int64_t mostPosed = 1 << 20;

double memoryOf(double memory) { return memory > 0 ? memory : freeMemory(); }

/// Records of a block, if `room` bytes hold one block for each of the holders.
std::int64_t blockFor(double room, int holders, std::int64_t most) {
  const auto records =
      static_cast<std::int64_t>(std::max(room, 0.0) / (bytes::ofBlockRecord * holders));
  return std::clamp(records / 1024 * 1024, leastBlock, most);
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

/// Bytes of a mesh that is whole in memory, with what is made of it and the program.
double neededFor(std::int64_t records) {
  return bytes::program + bytes::ofRecord * static_cast<double>(records);
}

/// Whether so many records take more than `memory` bytes (0: most of what is free). Small meshes
/// fit whatever is said: blocks of them would be no smaller.
bool exceeds(std::int64_t records, double memory) {
  return records > leastBlock && neededFor(records) > memoryOf(memory);
}

/// Throws Error: so many records do not fit, and cannot be read a block at a time.
[[noreturn]] void refuse(const std::string &what, std::int64_t records, double memory,
                         const std::string &why, const std::string &remedy) {
  throw Error(what,
              fmt::format("about {} triangles take {} of memory, {} allowed, and {}", records,
                          showBytes(neededFor(records)), showBytes(memoryOf(memory)), why),
              remedy + ", which is read a block at a time, or allow more with --memory");
}

/// Whether the mesh of a particle exceeds `memory` and is to be read a block at a time. Throws
/// Error if it should and cannot: other formats than HDF5 and binary STL.
bool needsBlocks(const Particle &p, double memory) {
  if (!p.shape.empty())
    return false;
  const MeshFileSize file = meshFileSize(p.mesh);
  if (!exceeds(file.records, memory))
    return false;
  if (!file.blocks && file.records > mostBlock)
    refuse(p.mesh, file.records, memory, "a mesh of this format is read whole only",
           fmt::format("convert it to HDF5 first (facet mesh convert {} -o mesh.h5)", p.mesh));
  return file.blocks;
}

/// The mesh of a particle, whole. Throws Error of a shape that exceeds `memory`.
Mesh whole(const Particle &p, double memory, const ColumnRoles &roles, std::int64_t *dropped) {
  Mesh mesh = makeMesh(p, dropped, roles);
  const std::int64_t records = mesh.size();
  if (p.shape.empty() || records <= mostBlock || !exceeds(records, memory))
    return mesh;
  std::string words = p.shape;
  for (const auto &[name, values] : p.shapeNumbers)
    words += fmt::format(" {}={}", name, fmt::join(values, ","));
  refuse(p.shape, records, memory, "a shape is made whole",
         fmt::format("make it a mesh in HDF5 first (facet mesh make {} -o mesh.h5)", words));
}

/// `share`: the part of the memory for a mesh that could be read in blocks of `block` records.
SceneMesh read(Communicator &ranks, const Particle &p, double memory, const ColumnRoles &roles,
               double share, std::int64_t block) {
  const bool first = ranks.rank() == 0;
  if (first && (!p.shape.empty() || !meshFileSize(p.mesh).blocks))
    share = 1;
  SceneMesh input;
  input.block = first && needsBlocks(p, share * memory) ? block : 0;
  ranks.broadcast(&input.block, sizeof input.block);
  if (input.streamed()) {
    input.blocks = open(p, roles, &input.dropped);
    if (first)
      input.hash = runtime::hashOf(*input.blocks);
    ranks.broadcast(input.hash);
  } else {
    auto mesh = std::make_shared<Mesh>();
    if (first)
      *mesh = whole(p, share * memory, roles, &input.dropped);
    broadcast(ranks, *mesh);
    input.blocks = blocksOf(mesh);
    input.hash = runtime::hashOf(*mesh);
    input.mesh = std::move(mesh);
  }
  const Mesh one = input.blocks->read(0, 1);
  input.name = one.name;
  input.statesUnit = !p.shape.empty() || p.unit || !one.statedUnit.empty();
  if (first)
    input.summary = summarise(*input.blocks);
  ranks.broadcast(&input.summary, sizeof input.summary);
  return input;
}

} // namespace

SceneMesh meshOf(Communicator &ranks, const Particle &p, double memory, const ColumnRoles &roles) {
  const double room = bytes::shareOfBlocks * (memoryOf(memory) - bytes::program);
  return read(ranks, p, memory, roles, 1, blockFor(room, 1 + workers, mostBlock));
}

double blockBytes(const SceneMesh &input) {
  return bytes::ofBlockRecord * static_cast<double>(input.block) * (1 + workers);
}

int workersOf(const SceneMesh &input) { return input.streamed() ? workers : 0; }

double memoryForPlan(const SceneMesh &input, double memory) {
  if (!input.streamed())
    return memory;
  const double allowed = memoryOf(memory);
  return std::max(allowed - bytes::program - blockBytes(input), bytes::leastShareOfSums * allowed);
}

std::string hashOf(const SceneMeshes &inputs) {
  Hash all;
  for (const SceneMesh &input : inputs)
    all.field(input.hash);
  return inputs.size() == 1 ? inputs[0].hash : all.hex();
}

std::int64_t recordsOf(const SceneMeshes &inputs) {
  std::int64_t records = 0;
  for (const SceneMesh &input : inputs)
    records += input.size();
  return records;
}

bool isStreamed(const SceneMeshes &inputs) {
  return std::ranges::any_of(inputs, &SceneMesh::streamed);
}

SceneMeshes meshesOf(Communicator &ranks, const Experiment &e, double memory) {
  std::vector<double> records(e.particles.size(), 0);
  double sum = 0;
  if (ranks.rank() == 0) // sizes of files, to share the memory by
    for (std::size_t i = 0; i < records.size(); ++i)
      if (e.particles[i].shape.empty())
        sum += records[i] = static_cast<double>(meshFileSize(e.particles[i].mesh).records);
  const double room = bytes::shareOfPosedBlock * memoryOfEvaluator(memory);
  const std::int64_t block = blockFor(room, 1, mostPosed);
  SceneMeshes inputs;
  for (std::size_t i = 0; i < records.size(); ++i) {
    const double own = records[i] > 0 ? memory * records[i] / sum : memory;
    Particle unturned = e.particles[i];
    unturned.orientation = {};
    inputs.push_back(read(ranks, unturned, std::max(own, 1.0), {}, bytes::shareOfMeshes, block));
  }
  return inputs;
}

bool haveColumns(const SceneMeshes &inputs) {
  return std::ranges::any_of(
      inputs, [](const SceneMesh &input) { return !input.blocks->read(0, 1).columns.empty(); });
}

void setRoles(Communicator &ranks, const ColumnRoles &roles, SceneMeshes &inputs) {
  for (SceneMesh &input : inputs) {
    input.blocks = changed(input.blocks, eulerZyz({}), {}, roles);
    if (input.mesh != nullptr && !input.mesh->columns.empty()) { // what groups are found of
      auto mesh = std::make_shared<Mesh>(*input.mesh);
      giveRoles(*mesh, roles);
      input.mesh = std::move(mesh);
    }
    if (ranks.rank() == 0)
      input.summary = summarise(*input.blocks);
    ranks.broadcast(&input.summary, sizeof input.summary);
  }
}

} // namespace facet::cli
