// inputs.cpp - what a kernel says of a scene before its grids are known; memory beside its meshes.
#include "runtime/scattering/scene/inputs.h"
#include "runtime/engine/kernel/inside.h"
#include "runtime/scattering/scene/budget.h"
#include <algorithm>
#include <facet/runtime/error.h>

namespace facet::runtime {

Grid likelyGrid(const Experiment &e) {
  const Stack stack{e.layers, e.probe == "neutrons"};
  Grid grid;
  if (!e.points.empty() || !e.curve.empty() || (e.detector && e.detector->form != "small-angle"))
    grid.kind = Grid::Kind::Points;
  for (Axis &axis : grid.axes)
    axis.re = std::vector<double>(64, 0.1);
  if (!stack.layers.empty() && std::ranges::any_of(e.particles, [&](const Particle &p) {
        return findLayer(stack, p.layer) > 0;
      }))
    grid.axes[2].im = grid.axes[2].re;
  return grid;
}

double memoryOfEvaluator(double memory) {
  // Few, since transforms repeat their work on a unit's q for each block, so that blocks should be
  // large.
  constexpr int evaluators = 2;
  return std::max(bytes::shareOfEvaluators * memory - bytes::program, 0.0) / evaluators;
}

Symmetries symmetriesOfCurve(const Kernel &kernel, const MeshBlocks &mesh,
                             const std::vector<double> &params, double radius) {
  checkPlaces(*kernel, "averaged over orientations");
  const Symmetries found = symmetriesOf(kernel, mesh, params, radius);
  if (!found.turns)
    throw Error(std::string("kernel ") + kernel->name,
                "a curve turns q in the place of the particle, and F is not the same where both "
                "turn together: something in the term has fixed directions of the lab",
                "take an image, with orientation = { average = \"full\" }");
  return found;
}

void SceneInputs::setGroups(const std::function<Kernel()> &kernel) {
  // A mean amplitude is of F about the middle of the box, which a group need not leave where it is.
  if (experiment.arrangement && experiment.arrangement->approximation == "decoupling") {
    for (SceneMesh &mesh : meshes)
      mesh.group = {};
    return;
  }
  for (std::size_t i = 0; i < meshes.size(); ++i) {
    const Orientations &how = experiment.particles[i].orientation;
    const bool averages = experiment.curve.empty() ? how.average != "none" && how.points == 0
                                                   : experiment.directions.symmetry;
    if (!averages || !meshes[i].mesh)
      continue;
    PointGroup &group = meshes[i].group;
    if (!group.rotations.empty()) // that of the experiment before
      continue;
    group = pointGroupOf(*meshes[i].mesh);
    if (group.order() < 2)
      continue;
    const Kernel of = kernel();
    if (!runtime::holds(group, of, meshes[i], of.parameters(experiment.parameters)))
      group = {{noRotation}};
  }
}

double SceneInputs::bytesOfMeshes() const {
  double bytes = 0;
  for (const SceneMesh &mesh : meshes)
    bytes += mesh.streamed() ? 0 : bytes::ofRecord * static_cast<double>(mesh.size());
  return bytes;
}

double SceneInputs::memoryForSums(double memory) const {
  const std::int64_t block = std::ranges::max(meshes, {}, &SceneMesh::block).block;
  const double left =
      block > 0 ? memoryOfEvaluator(memory) - bytes::ofPosedRecord * static_cast<double>(block)
                : (bytes::shareOfFree * memory - bytes::program - bytesOfMeshes()) / 4;
  const double parts = problem ? static_cast<double>(problem->bodies.mostParts()) : 1;
  return std::max({left / parts, bytes::leastShareOfSums * memory, bytes::leastOfImage});
}

} // namespace facet::runtime
