// unit_trial.h - units of a made-up problem, cut and computed as facet run does, and timed.
#pragma once
#include "runtime/plan/blocks/evaluator.h"
#include "schedules/knobs.h"
#include <complex>
#include <memory>
#include <string>
#include <vector>

namespace facet::runtime {

class UnitTrial {
public:
  /// `kernel`: with one variant, of a CPU. `candidates` differ in unit_y, unit_z, unit_t. Throws
  /// Error: sums that are not finite.
  UnitTrial(const Kernel &kernel, const std::vector<schedules::Knobs> &candidates);

  /// Processor seconds of all threads of the knobs for one triangle-q-point: of one unit, of
  /// several where they are small. 0: refused. Not of the wall: what other processes take is no
  /// cost of a unit, and larger units, of which most are timed, leave threads idle least.
  double run(std::size_t candidate);
  /// Why a candidate is not timed; "" where it is.
  const std::string &refusal(std::size_t candidate) const { return timed_[candidate].refusal; }

private:
  struct Timed {
    Cut cut;
    std::unique_ptr<Evaluator> evaluator;
    std::string refusal;
  };
  Unit firstOf(const Cut &cut) const;
  double run(Timed &timed, const Unit &unit);

  std::shared_ptr<const Mesh> mesh_;
  Grid grid_;
  std::vector<double> params_;
  std::int64_t leastQ_ = 0; // of a timing
  std::vector<Timed> timed_;
  std::vector<std::complex<double>> values_;
};

} // namespace facet::runtime
