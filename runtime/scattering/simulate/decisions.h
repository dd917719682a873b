// decisions.h - how the bodies of a simulation are summed: decided for one experiment, and kept for
// the experiments after it while that holds. A fit goes to and fro: it keeps several.
#pragma once
#include "runtime/scattering/simulate/inputs.h"

namespace facet::runtime {

class ReusableDecision {
public:
  /// `decision`: made for this experiment.
  ReusableDecision(const SimulationInputs &inputs, SceneDecision decision);
  /// Whether it may be used for this experiment.
  bool holds(const SimulationInputs &inputs) const;
  /// The decision for particles of the sizes that they have there.
  SceneDecision scaled(const SimulationInputs &inputs) const;

private:
  std::string structure_;
  SceneDecision decision_;
  std::vector<double> radii_, reach_; // by body, by way
  std::vector<std::int64_t> records_;
};

} // namespace facet::runtime
