// repair.h - q at which the error of the sum is amplified beyond the contract, computed again.
#pragma once
#include "runtime/plan/choices/choices.h"

namespace facet::runtime {

class Repair {
public:
  Repair(const Work &work, const facet_variant &precise) : work_(work), precise_(&precise) {}

  /// Computes F again, by direct sums in f64, where the candidate's error is expected to exceed
  /// its share of accuracy * max|F| (max over q of about the same Im q.z). Returns how many.
  std::int64_t run(const Candidate &candidate, const Risk &risk, double accuracy,
                   std::vector<std::complex<double>> &f);
  /// Records or parameters have changed.
  void changed() { sums_.reset(); }

private:
  std::vector<double> largestNear(const std::vector<std::complex<double>> &f, const Risk &risk,
                                  const std::vector<double> &e) const;

  Work work_;
  const facet_variant *precise_;
  std::vector<std::int64_t> at_;
  Grid list_;
  std::vector<std::int64_t> noZeros_;
  std::function<void(double, double)> silent_;
  std::unique_ptr<Sums> sums_;
  std::vector<std::complex<double>> again_;
};

} // namespace facet::runtime
