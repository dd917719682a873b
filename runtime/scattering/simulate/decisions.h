// decisions.h - how the bodies of a simulation are summed: decided for one experiment, and kept for
// the experiments after it while that holds.
#pragma once
#include "runtime/scattering/simulate/inputs.h"
#include <optional>

namespace facet::runtime {

class ReusableDecision {
public:
  /// `decision`: made for this experiment.
  void set(const SimulationInputs &inputs, SceneDecision decision);
  void clear() { decision_.reset(); }
  /// Whether it may be used for this experiment.
  bool holds(const SimulationInputs &inputs) const;
  /// The decision for particles of the sizes that they have there.
  SceneDecision scaled(const SimulationInputs &inputs) const;

private:
  std::string structure_;
  std::optional<SceneDecision> decision_; // none: it is to be made
  std::vector<double> radii_, reach_;     // by body, by way
  std::vector<std::int64_t> records_;
};

} // namespace facet::runtime
