// units.h - the units of a simulation, each computed as far as what it left before does not hold.
#pragma once
#include "runtime/scattering/derive/adjoint.h"
#include "runtime/scattering/simulate/inputs.h"
#include <atomic>
#include <facet/runtime/simulation.h>

namespace facet::runtime {

class SimulationUnits {
public:
  /// Gets triangle-q-points done, and all; what it throws stops the units.
  using Progress = std::function<void(double done, double all)>;
  /// `run` outlives this.
  explicit SimulationUnits(SceneRun &run) : run_(run) {}
  /// From now on of these, which are those of the run and outlive the next call.
  void setInputs(const SimulationInputs &inputs) { inputs_ = &inputs; }

  /// Images are computed by other decisions from now on: nothing that units have left holds.
  void forget();
  /// All images, by the units of the run; none of a curve, which sums() is for. Counts evaluations
  /// in `last`. `turn`: which of the poses of each unit is compared with the reference, as of
  /// UnitEvaluator::check(). Less than 0: none, and each unit has all threads. Throws Error as
  /// UnitEvaluator does, and what `progress` throws; what was finished then stays.
  std::vector<SimulatedImage> compute(std::int64_t turn, const Progress &progress, Simulated &last);
  /// Sums of a curve, as compute() found them: by band, sphere, part.
  const std::vector<std::vector<std::vector<SphereSums>>> &sums() const { return sums_; }
  /// What was compared when the units were computed.
  std::vector<PoseCheck> checks() const;

  using UseUnit = std::function<void(std::size_t number, UnitEvaluator &, BodyAdjoints *)>;
  /// Units of derivatives, one a thread: `use` gets an evaluator for each, and what it may keep its
  /// adjoints in, or null.
  void eachLarge(const std::vector<SceneUnit> &units, const SceneDecision &large,
                 const Progress &progress, const UseUnit &use);

private:
  const SceneProblem &problem() const { return run_.problem(); }
  bool keepsRows() const;
  CacheKey keepBy(const SceneDecision &decision) const;
  std::vector<std::unique_ptr<UnitEvaluator>> evaluators();
  void computeAll(const std::vector<std::unique_ptr<UnitEvaluator>> &workers, const CacheKey &by,
                  const Progress &progress, std::vector<SimulatedImage> &to);
  void computeOne(UnitEvaluator &evaluator, const SceneUnit &unit, std::size_t number,
                  std::vector<SimulatedImage> &to);
  void store(const SceneUnit &unit, UnitRows &rows, std::vector<SimulatedImage> &to);

  SceneRun &run_;
  const SimulationInputs *inputs_ = nullptr;
  std::vector<UnitCache> kept_;
  std::vector<UnitCache> keptLarge_;                       // of eachLarge()
  std::vector<BodyAdjoints> adjoints_;                     // likewise
  std::vector<std::vector<PoseCheck>> checks_;             // by unit
  std::vector<std::vector<std::vector<SphereSums>>> sums_; // of a curve
  std::int64_t turn_ = 0;
  std::atomic<bool> leave_{false};
  std::atomic<double> done_{0};
};

} // namespace facet::runtime
