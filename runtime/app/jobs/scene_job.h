// scene_job.h - an experiment: images of bodies in their poses, or a curve, by rows and poses.
#pragma once
#include "runtime/app/jobs/job.h"
#include "runtime/app/jobs/scene_derivatives.h"
#include "runtime/engine/system/budget.h"
#include "runtime/scattering/scene/decide.h"
#include "runtime/scattering/scene/evaluate.h"
#include "runtime/scattering/scene/inputs.h"

namespace facet::cli {

class SceneJob final : public Job {
public:
  SceneJob(const runtime::Experiment &e, const HowToRun &how, runtime::Communicator &ranks);

  void prepare() override;
  std::string decide(const std::string &before) override;
  UnitPlan take(const std::string &decision) override;
  Workers workers(std::size_t todo) const override;
  std::string called() const override;
  runtime::OneUnit worker(const Attempt &attempt, const std::atomic<bool> *leave) override;
  bool judge(const Attempt &attempt, const RunTotals &totals) override;
  SecondPass *after() override { return derivatives_.get(); }
  void describe(runtime::TiledResult &result, RunReport &found) override;
  PlanReport outlook() override;

private:
  struct Seen;
  struct Expected;
  const runtime::SceneProblem &prepared();
  void setDerivatives();
  runtime::SceneContext context(int threads);
  double bytesOfWorker() const;
  double bytesOf(const Workers &all) const { // of the process
    return runtime::bytes::program + scene_.bytesOfMeshes() + all.workers * bytesOfWorker();
  }
  Seen look(const runtime::TiledResult &result) const;
  std::string imagesText() const;
  std::string objectsText() const;
  Lines imageLines(const Seen &seen) const;
  Lines curveLines(const runtime::Curve &curve) const;
  Lines decisionLines(const Workers &workers) const;
  std::string nameOf(std::size_t way) const;
  runtime::nexus::Process processOf(const Seen &seen) const;
  Lines inputLines(double pixels) const;
  Expected expect(const Workers &workers) const;
  const std::vector<runtime::Body> &bodies() const { return problem_.bodies.bodies; }
  std::int64_t poses() const { return std::ssize(problem_.poses); }

  runtime::SceneInputs scene_;
  const runtime::SceneProblem &problem_;
  runtime::SceneFile file_;
  std::vector<std::vector<std::size_t>> numbers_;  // of kernels, on rank 0
  std::unique_ptr<runtime::SceneDecider> decider_; // on rank 0
  std::unique_ptr<SceneDerivatives> derivatives_;  // null: none are asked for

  runtime::SceneDecision decision_; // of the attempt
  std::vector<runtime::SceneUnit> units_;
  std::unique_ptr<runtime::PoseSums> sums_; // of units that have some poses only
  std::vector<runtime::PoseCheck> checks_;  // of this rank
  runtime::SceneErrors errors_;
};

} // namespace facet::cli
