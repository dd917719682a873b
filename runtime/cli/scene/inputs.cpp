// inputs.cpp - meshes of particles read or opened, libraries compiled once for all ranks.
#include "runtime/cli/scene/inputs.h"
#include "runtime/blocks/mpi/inputs.h"
#include "runtime/experiment/schema/schema.h"
#include "runtime/files/hash.h"
#include "runtime/plan/choices/variants.h"
#include <algorithm>
#include <fmt/format.h>
#include <sstream>

namespace facet::cli {
using namespace facet::runtime;
namespace {

constexpr double ofRecord = 300; // bytes in memory, with what is made of one: mesh_input.cpp
/// Of the memory, that meshes may have where they could be read in blocks: sums need some too.
constexpr double shareOfMeshes = 0.6;
/// Units that are computed at once where the memory is short; fixed, so that what fixes the bits
/// depends on the memory allowed but not on threads. Transforms repeat their work on the q of a
/// unit for each block: blocks are as large as this leaves room for.
constexpr int evaluators = 2;
constexpr double leastMemory = 8e6;    // bytes of one evaluator
constexpr double shareOfBlocks = 0.45; // of an evaluator's memory, with what is made of a block

double memoryOfOne(double memory) {
  return std::max(0.85 * memory - SceneMeshes::atStart, 0.0) / evaluators;
}

std::int64_t blockFor(double memory) {
  const double records = shareOfBlocks * memoryOfOne(memory) / SceneMeshes::ofBlockRecord;
  return std::clamp(static_cast<std::int64_t>(records) / 1024 * 1024, std::int64_t{4096},
                    std::int64_t{1} << 20);
}

} // namespace

Host::Host(const Experiment &e, const std::string &schedules) : e_(e), schedules_(schedules) {
  host.kernel = [this, &e, schedules](const Grid &grid) {
    // A library is for one kind of grid and of q; a short z axis may run as points.
    const bool points = grid.kind == Grid::Kind::Points || grid.extents()[2] < 8;
    const auto [found, fresh] = kernels_.try_emplace({points, grid.complexQ()});
    if (fresh)
      found->second = kernelFor(e, grid, schedules, used);
    return *found->second;
  };
  host.options = [&e](const Kernel &kernel) { return planOptions(e, kernel); };
  host.progress = [this](double done, double total) { progress_.show(done, total); };
  host.say = [this](const std::string &text) { tell(text); };
  host.warn = [this](const std::string &text) { tell("warning: " + text); };
}

void Host::tell(const std::string &text) {
  progress_.end();
  fmt::print(stderr, "facet: {}\n", text);
}

Queues *Host::queuesOf(const Kernel &kernel, const std::string &target) {
  if (!runsOnDevice(kernel, target))
    return nullptr;
  if (!queues_)
    queues_ = openQueues(target);
  return queues_.get();
}

SceneMeshes meshesOf(Communicator &ranks, const Experiment &e, double memory) {
  SceneMeshes all;
  const std::vector<Particle> &particles = e.particles;
  std::vector<double> records(particles.size(), 0);
  double sum = 0;
  if (ranks.rank() == 0) // sizes of files, to share the memory by
    for (std::size_t i = 0; i < particles.size(); ++i)
      if (particles[i].shape.empty())
        sum += records[i] = static_cast<double>(meshFileSize(particles[i].mesh).records);
  Hash hash;
  for (std::size_t i = 0; i < particles.size(); ++i) {
    const double own = sum > 0 ? memory * records[i] / sum : memory;
    Particle unturned = particles[i]; // it is turned pose by pose
    unturned.orientation = {};
    const MeshInput input = meshOf(ranks, unturned, std::max(own, 1.0), {}, shareOfMeshes);
    SceneMesh &mesh = all.meshes.emplace_back();
    mesh.blocks = input.blocks;
    mesh.dropped = input.dropped;
    mesh.hash = input.hash;
    mesh.name = input.blocks->read(0, 1).name;
    if (ranks.rank() == 0)
      mesh.summary = input.whole ? input.whole->summary : summarise(*input.blocks);
    ranks.broadcast(&mesh.summary, sizeof mesh.summary);
    mesh.block = input.streamed ? blockFor(memory) : 0;
    if (input.streamed)
      all.streamed = true;
    else
      all.bytes += ofRecord * static_cast<double>(input.size());
    hash.field(input.hash);
    all.inputs.push_back(input);
  }
  all.hash = particles.size() == 1 ? all.meshes[0].hash : hash.hex();
  return all;
}

// A kind of library that the scene most likely needs: another costs a compilation more, once.
Kernel Host::any() {
  const Stack stack = stackOf(e_);
  const auto inside = [&](const Particle &p) { return layerOf(stack, p) > 0; };
  const bool complexQ =
      !stack.layers.empty() && std::any_of(e_.particles.begin(), e_.particles.end(), inside);
  Grid grid;
  if (!e_.points.empty() || (e_.detector && e_.detector->form != "small-angle"))
    grid.kind = Grid::Kind::Points;
  for (std::size_t k = 0; k < 3; ++k)
    grid.axes[k].re = std::vector<double>(64, 0.1);
  if (complexQ)
    grid.axes[2].im = grid.axes[2].re;
  return kernelFor(e_, grid, schedules_, used);
}

void giveRoles(Communicator &ranks, Host &host, SceneMeshes &meshes) {
  if (std::all_of(meshes.meshes.begin(), meshes.meshes.end(),
                  [](const SceneMesh &mesh) { return mesh.blocks->read(0, 1).columns.empty(); }))
    return;
  std::string path = ranks.rank() == 0 ? host.any().path() : "";
  ranks.broadcast(path);
  const ColumnRoles roles = rolesOf(*Kernel::load(path));
  for (std::size_t i = 0; i < meshes.meshes.size(); ++i) {
    MeshInput &input = meshes.inputs[i];
    SceneMesh &mesh = meshes.meshes[i];
    mesh.blocks = input.blocks = changed(input.blocks, eulerZyz({0, 0, 0}), {}, roles);
    if (ranks.rank() == 0)
      mesh.summary = summarise(*mesh.blocks);
    ranks.broadcast(&mesh.summary, sizeof mesh.summary);
  }
}

double memoryForSums(const SceneMeshes &meshes, double memory) {
  double block = 0;
  for (const SceneMesh &mesh : meshes.meshes)
    block = std::max(block, static_cast<double>(mesh.block));
  const double left = block > 0 ? memoryOfOne(memory) - SceneMeshes::besidePlan * block
                                : (0.8 * memory - SceneMeshes::atStart - meshes.bytes) / 4;
  return std::max({left, 0.1 * memory, leastMemory});
}

void shareKernels(Communicator &ranks, std::vector<Kernel> &kernels) {
  std::string paths;
  for (const Kernel &kernel : kernels)
    paths += kernel.path() + '\n';
  ranks.broadcast(paths);
  if (ranks.rank() == 0)
    return;
  std::istringstream lines(paths);
  for (std::string path; std::getline(lines, path);)
    kernels.push_back(Kernel::load(path));
}

} // namespace facet::cli
