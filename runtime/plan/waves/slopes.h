// slopes.h - what F changes by with each transform of a kernel whose F is linear in them, at every q.
#pragma once
#include "runtime/plan/sums/algorithm.h"

namespace facet::runtime {

/// dF = A dT + B conj(dT), T a transform or a sum of the records alone.
struct Slope {
  std::vector<std::complex<double>> linear,
      conjugate; // A, B at each q, one output after the other; B empty if it is 0
  std::int64_t outputs = 1;

  /// conj(A) G + B conj(G) at each q, added over outputs.
  std::vector<std::complex<double>> cotangent(const std::vector<std::complex<double>> &g,
                                              Pool &pool) const;
};

/// Transforms of which F changes by the same numbers at q but for a factor: one adjoint serves them all.
struct SharedTransform {
  Slope slope;
  std::vector<std::pair<int, std::complex<double>>> transforms; // and their factors
};

struct Slopes {
  std::vector<std::vector<SharedTransform>> waves; // those of each wave
  std::vector<Slope> totals;                       // by the sums of the records alone
};

/// By combine of units: F of a tangent kernel is 0 where all of them are. 0 at `work.zeros`.
Slopes slopesOf(const Work &work, const facet_transforms &form);

} // namespace facet::runtime
