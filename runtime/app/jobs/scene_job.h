// scene_job.h - an experiment: images of bodies in their poses, or a curve, by rows and poses.
#pragma once
#include "runtime/app/jobs/job.h"
#include "runtime/app/jobs/scene_derivatives.h"
#include "runtime/engine/system/budget.h"
#include "runtime/scattering/scene/run.h"

namespace facet::cli {

class SceneJob final : public Job {
public:
  SceneJob(const runtime::Experiment &e, const JobOptions &how, runtime::Communicator &ranks);

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
  struct ImageSurvey;
  struct CostEstimate;
  runtime::SceneRun::Tools tools();
  const runtime::SceneProblem &prepared();
  void setGroups();
  void setDerivatives();
  double bytesOf(const Workers &all) const { // of the process
    return runtime::bytes::program + scene_.bytesOfMeshes() +
           std::max(all.workers * run_.bytesOfEvaluator(), run_.bytesOfRecorded());
  }
  ImageSurvey look(const runtime::TiledResult &result) const;
  std::string imagesText() const;
  std::string objectsText() const;
  std::vector<std::string> groups() const;
  std::vector<std::string> cuts() const;
  void addBodies(Lines &lines) const;
  Lines imageLines(const ImageSurvey &seen) const;
  Lines curveLines(const runtime::Curve &curve) const;
  Lines decisionLines(const Workers &workers);
  std::string nameOf(std::size_t way) const;
  runtime::nexus::Process processOf(const ImageSurvey &seen) const;
  Lines inputLines(double pixels) const;
  double rowSeconds(std::size_t way, const runtime::Body &body) const;
  CostEstimate expect(const Workers &workers);
  const std::vector<runtime::Body> &bodies() const { return problem_.bodies.bodies; }
  std::int64_t poses() const { return std::ssize(problem_.poses); }

  runtime::SceneInputs scene_;
  runtime::SceneRun run_;
  const runtime::SceneProblem &problem_;
  runtime::SceneFile file_;
  std::unique_ptr<SceneDerivatives> derivatives_; // null: none are asked for
  std::unique_ptr<runtime::PoseSums> sums_;       // of units that have some poses only
  std::vector<runtime::PoseCheck> checks_;        // of this rank
};

} // namespace facet::cli
