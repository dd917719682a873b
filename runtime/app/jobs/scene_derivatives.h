// scene_derivatives.h - derivatives of an experiment's images by units of their rows, of all poses.
#pragma once
#include "runtime/app/jobs/derivatives.h"
#include "runtime/scattering/derive/how_to_derive.h"
#include "runtime/scattering/scene/run.h"

namespace facet::cli {

class SceneDerivatives final : public Derivatives {
public:
  /// All arguments outlive this. Throws Error for a mesh that is not in memory, a kernel that is a
  /// library, and keys that there is no derivative by; and as Observation does.
  SceneDerivatives(const JobOptions &how, const runtime::SceneProblem &problem,
                   const runtime::SceneFile &file, int threads, double memory);
  /// Tries whether the kernel can be differentiated, on a row of each body. Throws Error if not.
  void tryKernel() const;
  /// From now on units are those of the run's decision. It outlives this.
  void take(runtime::SceneRun &run);

private:
  Sum sum(const Attempt &attempt, const std::atomic<bool> *leave) override;
  MisfitGradient make(const std::function<std::vector<double>(std::int64_t unit)> &each) override;
  std::vector<double> compare(const runtime::TiledResult &result, const runtime::SceneUnit &unit,
                              runtime::Misfit &misfit) const;

  const runtime::SceneProblem &problem_;
  const runtime::SceneFile &file_;
  runtime::GradientKeys keys_;
  runtime::SceneAdjoint::Options options_;
  runtime::SceneDecision decision_;
  std::vector<runtime::SceneUnit> units_;
  runtime::SceneRun *run_ = nullptr;
};

} // namespace facet::cli
