// units.h - the units of a simulation, each computed as far as what it left before does not hold.
#pragma once
#include "runtime/scattering/derive/adjoint.h"
#include "runtime/scattering/simulate/decisions.h"
#include <atomic>
#include <facet/runtime/simulation.h>

namespace facet::runtime {

class SimulationUnits {
public:
  /// Gets triangle-q-points done, and all; what it throws stops the units.
  using Progress = std::function<void(double done, double all)>;
  /// `decisions` outlives this.
  explicit SimulationUnits(SimulationDecisions &decisions) : decisions_(decisions) {}

  /// Images are computed by other decisions from now on: nothing that units have left holds.
  void forget();
  /// All images; none of a curve, which sums() is for. Counts evaluations in `last`. `turn`: which
  /// of the poses of each unit is compared with the reference, as of UnitEvaluator::check(). Throws
  /// Error as UnitEvaluator does, and what `progress` throws; what was finished then stays.
  std::vector<SimulatedImage> compute(const SceneDecision &decision, std::int64_t turn,
                                      const Progress &progress, Simulated &last);
  /// Sums of a curve, as compute() found them: by band, sphere, part.
  const std::vector<std::vector<std::vector<SphereSums>>> &sums() const { return sums_; }
  /// What was compared when the units were computed.
  std::vector<PoseCheck> checks() const;

  using UseUnit = std::function<void(std::size_t number, UnitEvaluator &, KeptAdjoints *)>;
  /// Units of derivatives, one a thread: `use` gets an evaluator for each, and what it may keep its
  /// adjoints in, or null.
  void eachLarge(const std::vector<SceneUnit> &units, const SceneDecision &large,
                 const Progress &progress, const UseUnit &use);

private:
  const ReadyExperiment &ready() const { return decisions_.ready(); }
  const SceneProblem &problem() const { return decisions_.problem(); }
  bool keepsRows() const;
  KeepBy keepBy(const SceneDecision &decision) const;
  double workOfAll(const std::vector<SceneUnit> &units) const;
  std::vector<std::unique_ptr<UnitEvaluator>> evaluators(const SceneDecision &decision,
                                                         std::int64_t units);
  void computeAll(const std::vector<SceneUnit> &units,
                  const std::vector<std::unique_ptr<UnitEvaluator>> &workers, const KeepBy &by,
                  const Progress &progress, std::vector<SimulatedImage> &to);
  void computeOne(UnitEvaluator &evaluator, const SceneUnit &unit, std::size_t number,
                  std::vector<SimulatedImage> &to);
  void store(const SceneUnit &unit, UnitRows &rows, std::vector<SimulatedImage> &to);

  SimulationDecisions &decisions_;
  std::vector<KeptUnit> kept_;
  std::vector<KeptUnit> keptLarge_;                        // of eachLarge()
  std::vector<KeptAdjoints> adjoints_;                     // likewise
  std::vector<std::vector<PoseCheck>> checks_;             // by unit
  std::vector<std::vector<std::vector<SphereSums>>> sums_; // of a curve
  std::int64_t turn_ = 0;
  std::atomic<bool> leave_{false};
  std::atomic<double> done_{0};
};

} // namespace facet::runtime
