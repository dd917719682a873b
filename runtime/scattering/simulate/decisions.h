// decisions.h - how the bodies of a simulation are summed: decided for one experiment, and kept for
// the experiments after it while that holds.
#pragma once
#include "runtime/scattering/scene/decide.h"
#include "runtime/scattering/simulate/ready.h"
#include <facet/runtime/simulation.h>
#include <map>
#include <mutex>
#include <optional>

namespace facet::runtime {

class SimulationDecisions {
public:
  /// `options` outlives this.
  explicit SimulationDecisions(const SimulationOptions &options) : options_(options) {}

  /// The library of an experiment's kernel for a grid: one that was found before, or a new one.
  Kernel kernel(const Experiment &e, const Grid &grid);
  /// From now on decides for this experiment, which outlives the next call. `memory`: bytes
  /// allowed.
  void setExperiment(const ReadyExperiment &ready, double memory);
  /// Whether what plan() decided last may be used for this experiment.
  bool hold() const;
  /// Decides how each body is summed. Throws Error as SceneDecider does.
  void plan();
  /// The body missed the contract. False: no other decision would help.
  bool sharpen(const SceneErrors::Missed &miss) { return decider().sharpen(miss.way, miss.body); }
  /// What plan() decided, for particles of the sizes that they have now.
  SceneDecision scaled() const;
  /// F on rows spread over each image, compared with the reference. `units`: what units have found.
  std::vector<PoseCheck> check(const SceneDecision &decision, const std::vector<PoseCheck> &units) {
    return decider().check(decision, units);
  }

  const ReadyExperiment &ready() const { return *ready_; }
  const SceneProblem &problem() const { return *ready_->problem; }
  double memory() const { return memory_; }
  /// The kernels that decisions are numbered by; none before the first plan().
  const std::vector<Kernel> &kernels() const { return kernels_; }
  /// The values of a kernel's parameters. Throws Error for those that it does not have.
  std::vector<double> paramsOf(std::size_t kernel) const {
    return kernels_[kernel].parameters(ready_->experiment.parameters);
  }
  /// Has the threads of the experiment.
  const std::shared_ptr<Pool> &pool() const { return pool_; }
  /// What sums with these threads.
  SceneContext context(std::shared_ptr<Pool> pool);

private:
  /// What decisions were made of.
  struct Planned {
    std::string structure;
    SceneDecision decision;
    std::vector<double> radii, reach; // by body, by way
    std::vector<std::int64_t> records;
  };
  const std::vector<Body> &bodies() const { return problem().bodies.bodies; }
  SceneDecider &decider();
  Queues *queues(const Kernel &kernel, const std::string &target);

  const SimulationOptions &options_;
  const ReadyExperiment *ready_ = nullptr;
  double memory_ = 0;
  std::map<std::tuple<std::string, std::string, std::string, bool, bool>, Kernel> libraries_;
  std::optional<Planned> planned_; // none: decisions are to be made
  std::vector<Kernel> kernels_;
  std::vector<std::vector<std::size_t>> numbers_;
  std::unique_ptr<SceneDecider> decider_; // of this experiment, once it is needed
  std::shared_ptr<Pool> pool_;
  std::unique_ptr<Queues> queues_;
  std::mutex mutex_; // of queues_
};

} // namespace facet::runtime
