// judge.h - from differences at a sample of q to the measured error of a run.
#pragma once
#include <facet/runtime/plan.h>

namespace facet::runtime {

/// F of the run and of the reference at one q.
struct Compared {
  std::array<std::complex<double>, 3> q;
  std::complex<double> value, reference;
  double bound = 0;   // rounding of the reference
  bool judged = true; // false: there for others to be relative to
};

/// Errors relative to the largest |reference| among the q damped alike (bands.h; all of them where
/// q.z is real). Fills error, rms, bound, samples, met, verifiable, worst, banded.
Measured judge(const std::vector<Compared> &compared, double contract, double radius);

} // namespace facet::runtime
