// scene_job.h - an experiment: images of bodies in their poses, or a curve, by rows and poses.
#pragma once
#include "runtime/cli/input/mesh_input.h"
#include "runtime/cli/run/job.h"
#include "runtime/experiment/scene/units/decide.h"
#include "runtime/experiment/scene/units/evaluate.h"
#include "runtime/planner/budget.h"
#include <map>

namespace facet::cli {

/// The meshes of all particles, in memory or read in blocks.
struct SceneMeshes {
  std::vector<MeshInput> inputs;
  std::vector<runtime::SceneMesh> meshes;
  double inMemory = 0; // bytes that those in memory take, with what is made of them
  bool streamed = false;
  std::string hash; // of all
  /// All ranks together. Each file is read once by rank 0; what does not fit the memory allowed,
  /// each mesh its share of it, by every rank, a block at a time. `memory`: bytes of a rank. Throws
  /// Error.
  SceneMeshes(runtime::Communicator &ranks, const runtime::Experiment &e, double memory);
  /// All ranks together: tells meshes with columns of their own what these are, so that they are
  /// posed with the rest.
  void setRoles(runtime::Communicator &ranks, const runtime::ColumnRoles &roles);
  bool haveColumns() const;
  /// Bytes of `memory` that one evaluator may take for its sums, beside records; some at least.
  double memoryForSums(double memory) const;
};

class SceneJob final : public Job {
public:
  SceneJob(const runtime::Experiment &e, const HowToRun &how, runtime::Communicator &ranks);

  runtime::Identity identity() const override;
  std::string problem() const override;
  void prepare() override;
  std::string decide(const std::string &before) override;
  void take(const std::string &decision) override;
  runtime::Cutter units() const override { return {{std::ssize(units_), 1, 1}, {1, 1, 1}}; }
  double work(std::int64_t unit) const override {
    return workOf(problem_, units_[static_cast<std::size_t>(unit)]);
  }
  std::pair<std::int64_t, std::string> parts() const override {
    return {sums_->size() > 0 ? 1 : problem_.blocksOfPoses(), "poses"};
  }
  std::string unitsText() const override;
  runtime::TiledFile file() const override;
  Workers workers(std::size_t todo) const override;
  double secondsOfUnit(const Workers &workers) const override;
  runtime::OneUnit worker(const Attempt &attempt, const std::atomic<bool> *leave) override;
  bool judge(const Attempt &attempt, const Found &found) override;
  void describe(runtime::TiledResult &result, Found &found) override;
  Lines draw(bool fresh) override;
  Outlook outlook() override;

private:
  struct Seen;
  struct Expected;
  runtime::SceneHost hostOf();
  double memoryOf();
  runtime::Kernel anyKernel();
  runtime::Answers answers();
  runtime::Queues *queues(const runtime::Kernel &kernel, const std::string &target);
  void write(runtime::TiledResult &result, std::int64_t number, const runtime::SceneUnit &unit,
             const runtime::UnitRows &rows) const;
  double bytesOfWorker() const;
  double bytesOf(const Workers &all) const { // of the process
    return runtime::bytes::program + meshes_.inMemory + all.workers * bytesOfWorker();
  }
  Seen look(const runtime::TiledResult &result) const;
  runtime::RuleError rule();
  std::string imagesText() const;
  std::string objectsText() const;
  Lines imageLines(const Seen &seen) const;
  Lines curveLines(const runtime::Curve &curve) const;
  Lines decisionLines(const Workers &workers) const;
  std::string nameOf(std::size_t way) const;
  runtime::nexus::Process processOf(const Seen &seen) const;
  Lines inputLines(double pixels) const;
  Expected expect(const Workers &workers) const;
  runtime::ScalingCosts costs(const Expected &x, const Workers &all, double records, double pixels,
                              double started) const;
  const std::vector<runtime::Body> &bodies() const { return problem_.bodies.bodies; }
  std::int64_t poses() const { return std::ssize(problem_.poses); }

  runtime::SceneHost host_;
  std::map<std::pair<bool, bool>, std::optional<runtime::Kernel>> libraries_; // by kind of grid
  double read_ = 0; // seconds until meshes are read
  SceneMeshes meshes_;
  runtime::Answers answers_; // of the particle of a curve
  runtime::SceneProblem problem_;
  runtime::SceneFile file_;
  std::vector<std::vector<std::size_t>> numbers_; // of kernels, on rank 0
  std::vector<runtime::Kernel> kernels_;
  std::vector<std::vector<double>> params_;
  std::vector<std::string> sizes_;
  std::unique_ptr<runtime::SceneDecider> decider_; // on rank 0

  runtime::SceneDecision decision_; // of the attempt
  std::vector<runtime::SceneUnit> units_;
  std::unique_ptr<runtime::PoseSums> sums_; // of units that have some poses only
  std::vector<runtime::PoseCheck> checks_;  // of this rank
  runtime::SceneErrors errors_;
};

} // namespace facet::cli
