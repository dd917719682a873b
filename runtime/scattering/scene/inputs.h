// inputs.h - what a scene is made from: an experiment, its meshes, and how F of a curve's particle
// answers.
#pragma once
#include "runtime/scattering/scene/problem.h"

namespace facet::runtime {

/// What a kernel is most likely needed for, before the grids are known. It is points of q, or what
/// images of the experiment are if all of them are rows and columns of q.
Grid likelyGrid(const Experiment &experiment);

/// Tries how F of a curve's particle answers. Throws Error if a curve cannot be made of it.
Symmetries symmetriesOfCurve(const Kernel &kernel, const MeshBlocks &mesh,
                             const std::vector<double> &params, double radius);

/// Bytes of `memory` for one of the evaluators that each hold a block of a mesh.
double memoryOfEvaluator(double memory);

/// Every process has the same. Stays where it is: the problem knows the experiment by reference.
struct SceneInputs {
  explicit SceneInputs(Experiment of) : experiment(std::move(of)) {}
  SceneInputs(SceneInputs &&) = delete;

  Experiment experiment;
  std::vector<SceneMesh> meshes; // one a particle, in their order; with roles of columns
  Symmetries symmetries;         // of the particle of a curve
  std::optional<SceneProblem> problem;

  /// Throws Error as symmetriesOfCurve() does.
  void setSymmetries(const Kernel &kernel) {
    symmetries =
        symmetriesOfCurve(kernel, *meshes[0].blocks, kernel.parameters(experiment.parameters),
                          meshes[0].summary.farthest);
  }
  /// Finds the point group of each mesh in memory whose average takes it. `kernel` is asked for
  /// where there is one.
  void setGroups(const std::function<Kernel()> &kernel);
  /// Throws Error as SceneProblem does.
  void setProblem(bool partners = true) {
    problem.emplace(experiment, meshes, symmetries, partners);
  }
  /// Bytes of the meshes that are in memory, with what is made of them.
  double bytesOfMeshes() const;
  /// Bytes of `memory` for the sums of one evaluator, beside records; a least amount in any case.
  double memoryForSums(double memory) const;
};

} // namespace facet::runtime
