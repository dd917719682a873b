// run.h - carries out a scene: finds its kernels, decides, makes what computes units, judges. Under
// facet run, simulations and curves of a fit.
#pragma once
#include "runtime/scattering/scene/decide.h"
#include "runtime/scattering/scene/inputs.h"
#include <map>

namespace facet::runtime {

/// The kernel's name and what stands in its file.
std::string codeOf(const Experiment &experiment);

class SceneRun {
public:
  /// What a program does for it. Plans say while they measure what `options` gives them.
  struct Tools {
    std::function<Kernel(const Experiment &, const Grid &)> find; // a library, for a grid
    std::function<PlanOptions(const Experiment &, const Kernel &)> options = planOptionsOf;
    std::function<void(const std::string &)> say;
    bool often = false; // as of SceneDecider
  };
  /// "R,H,P": rows of a unit, records of a t block, poses of a unit; 0: the default.
  using Cut = std::array<std::int64_t, 3>;
  explicit SceneRun(Tools tools) : tools_(std::move(tools)) {}

  /// The library of an experiment's kernel for a grid: one that was found before, or a new one.
  Kernel kernel(const Experiment &experiment, const Grid &grid);
  /// From now on of this scene, which outlives the next call. `memory`: bytes allowed.
  void setScene(const SceneInputs &scene, double memory);
  /// What decide() is asked for.
  void setCut(const Cut &cut) { cut_ = cut; }
  /// Finds the libraries that decisions are numbered by. Throws Error.
  void findKernels();
  /// The same where another process has found them.
  void setKernels(const std::vector<Kernel> &kernels) { kernels_ = kernels; }

  /// Decides how each body is summed, by the kernels found here. Throws Error as SceneDecider does.
  SceneDecision decide() { return decider().decide(); }
  /// From now on units are those of a decision: none if it is of another experiment.
  void follow(SceneDecision decision);
  /// What sums with these threads.
  SceneContext context(std::shared_ptr<Pool> pool);
  SceneContext context(int threads) { return context(std::make_shared<Pool>(threads)); }
  /// Judges F by what was compared while units were computed; `spread`: and on rows spread over
  /// each image.
  void judge(std::vector<PoseCheck> checks, bool spread);
  /// Bodies that missed the contract are planned more accurately from now on. False: there is none,
  /// or no other decision would help.
  bool sharpen();

  const SceneInputs &scene() const { return *scene_; }
  const SceneProblem &problem() const { return *scene_->problem; }
  double memory() const { return memory_; }
  const std::vector<Kernel> &kernels() const { return kernels_; }
  /// The values of a kernel's parameters. Throws Error for those that it does not have.
  std::vector<double> paramsOf(std::size_t kernel) const {
    return kernels_[kernel].parameters(scene_->experiment.parameters);
  }
  /// Has the threads of the experiment.
  const std::shared_ptr<Pool> &pool();
  /// What the last decide() expects; null if all of the images are behind the sample.
  const ExpectedPart *expected(std::size_t way, std::size_t body) {
    return decider().expected(way, body);
  }
  const SceneDecision &decision() const { return decision_; }
  const std::vector<SceneUnit> &units() const { return units_; }
  /// Bytes that one evaluator may take, with its unit.
  double bytesOfEvaluator() const;
  /// Bytes of the largest image that is recorded of others, once these are whole; 0: none is.
  double bytesOfRecorded() const;
  const SceneErrors &errors() const { return errors_; }
  /// The largest error of F, or of amplitudes.
  double error() const { return std::max(errors_.worst ? errors_.worst->error : 0, errors_.phi); }
  /// The largest error of F by band of a curve.
  std::vector<double> errorsOfBands() const;

private:
  SceneDecider &decider();
  double bytesOfBody(const SceneDecision::BodyDecision &part, const Body &body) const;

  const Tools tools_;
  const SceneInputs *scene_ = nullptr;
  double memory_ = 0;
  Cut cut_{};
  std::map<std::tuple<std::string, std::string, std::string, facet_grid_kind, bool>, Kernel>
      libraries_;
  std::vector<Kernel> kernels_;
  std::vector<std::vector<std::size_t>> numbers_; // of kernels, where they were found
  std::shared_ptr<Pool> pool_;
  std::unique_ptr<SceneDecider> decider_; // of this scene, once it is needed
  SceneDecision decision_;
  std::vector<SceneUnit> units_;
  SceneErrors errors_;
  SharedQueues queues_;
};

} // namespace facet::runtime
