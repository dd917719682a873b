// slopes.h - what F changes by with each transform of a tangent kernel, at every q.
#pragma once
#include "runtime/engine/sum/algorithm.h"
#include "runtime/engine/transform/nufft/transforms.h"

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

/// Transforms with slopes that differ only by a factor and a power of q, dF = A f q^p dT + B
/// conj(f) q^p conj(dT): one adjoint serves them all.
struct SharedTransform {
  struct Member {
    int transform;
    std::complex<double> times;
    NufftPowers power{};
  };
  Slope slope;
  std::vector<Member> transforms;
};

struct Slopes {
  std::vector<std::vector<SharedTransform>> waves; // those of each wave, without what stays
  std::vector<Slope> totals; // for the sums of the records alone; one that stays has no numbers
};

/// Transforms and sums of the records alone that do not change with the columns: those of the
/// kernel itself. The slopes of a finish that is not linear are taken at their values.
struct FixedSums {
  std::vector<std::vector<double>>
      transforms;             // T_j at each q as combine takes it; empty: it changes
  std::vector<double> totals; // re, im of each; 0 of one that changes
  std::vector<bool> total;    // whether it stays
};

/// Axes of the grid along which a wave's transforms may follow from one another by powers of q.
using PowerAxes = std::array<bool, 3>;

/// The slopes by combine with one transform at 1 or i: F of a tangent kernel is 0 if all that
/// changes is 0. They are 0 at `work.zeros`. axes: of each wave.
Slopes slopesOf(const SumContext &work, const facet_transforms &form, const FixedSums &fixed,
                const std::vector<PowerAxes> &axes);

} // namespace facet::runtime
