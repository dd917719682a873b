// inputs.h - an experiment with its meshes, and what of them is that of the experiment before.
#pragma once
#include "runtime/scattering/scene/run.h"
#include <facet/runtime/experiment.h>
#include <memory>
#include <string>
#include <vector>

namespace facet::runtime {

struct SimulationInputs : SceneInputs {
  /// What a fit gives for an experiment.
  struct FitStep {
    const Mesh *mesh = nullptr; // of its particle; null: the one before
    bool partners = true;       // as of SceneProblem
  };
  /// `before`: whose meshes are taken where they are the same; may be null. `memory`: bytes
  /// allowed. `run`: finds kernels. `step`: null if it is none; no point group of its mesh counts,
  /// nor any if averages are to be `whole`. Throws Error.
  SimulationInputs(Experiment of, const SimulationInputs *before, double memory, SceneRun &run,
                   const FitStep *step, bool whole);
  /// Makes the problem, with the directions of partners of a curve or without.
  void setProblem(bool partners);

  std::string code;                  // codeOf(experiment), as it was read
  std::string arrangement;           // what S is of
  std::string rows;                  // all that q' and waves depend on, beside layers and heights
  std::int64_t made = 0;             // meshes that were not there before
  std::vector<std::string> warnings; // of what is new: all of the first, then of meshes
  bool fit = false;
  std::shared_ptr<const Mesh> tried; // of a fit: what its symmetries were found with
  std::vector<double> reach; // the largest |q'| by way, nm^-1; < 0: all of it is behind the sample

  /// What a decision can only be of if it is the same: all but sizes, places, numbers.
  std::string structure() const;

private:
  void remark(const std::vector<Remark> &remarks);
  void takeMeshes(const SimulationInputs *before, double memory, SceneRun &run, bool whole);
  void takeMesh(const SimulationInputs *before, const Mesh *given, SceneRun &run);
  void trySymmetries(const SimulationInputs *before, SceneRun &run);
  void add(std::shared_ptr<Mesh> mesh, std::string hash);
  void setReach();
  void checkImages(double memory) const;
};

} // namespace facet::runtime
