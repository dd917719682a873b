// decisions.h - how the bodies of a simulation are summed: decided for one experiment, and kept for
// the experiments after it while that holds. A fit goes to and fro: it keeps several.
#pragma once
#include "runtime/scattering/simulate/inputs.h"
#include <deque>

namespace facet::runtime {

class ReusableDecision {
public:
  /// `decision`: made for this experiment.
  ReusableDecision(const SimulationInputs &inputs, SceneDecision decision);
  /// Whether it may be used for this experiment.
  bool holds(const SimulationInputs &inputs) const;
  /// The decision for particles of the sizes that they have there.
  SceneDecision scaled(const SimulationInputs &inputs) const;

  /// "avx512", of the first body that is summed; "" if there is none.
  std::string target() const;

  /// As JSON has it. Throws Json::exception or Error for what json() has not made.
  explicit ReusableDecision(const Json &j);
  Json json() const;

private:
  std::string structure_;
  SceneDecision decision_;
  std::vector<double> radii_, reach_; // by body, by way
  std::vector<std::int64_t> records_;
};

/// What a simulation goes on by.
struct DecisionStore {
  std::deque<ReusableDecision> decisions; // the first is followed; others of a fit
  bool whole = false;                     // averages are, since a derivative breaks point groups
  bool known = false;    // a fit's F met the contract by the first, and its errors do not count
  std::int64_t turn = 0; // the pose of each unit that is compared

  std::string toJson() const;
  /// Throws Error if the text is not one that toJson wrote.
  static DecisionStore of(const std::string &text);
};

} // namespace facet::runtime
