// waves_adjoint.h - the adjoint of a kernel by transforms: those of its tangent kernel, backwards.
//
// The tangent kernel's F is linear in the columns d_NAME, what the columns change by:
//   dF(q) = sum over k of A_k(q) T_k(q) + B_k(q) conj(T_k(q)),  T_k(q) = sum over t and columns c
//   of b_kc(t) d_c(t) e^{i q.r_t}.
// So, with dL = 2 Re sum over q of conj(G) dF,
//   dL / d_c(t) = 2 Re sum over k of b_kc(t) conj(U_k(t)),
//   U_k(t) = sum over q of conj(e^{i q.r_t}) (conj(A_k) G + B_k conj(G)),
// U_k being the adjoint of the transforms. A_k and B_k are combine at T_k = 1 and i; b_kc is fill
// with d_c = 1 and the others 0. If finish is not linear, combine reads transforms of the kernel
// itself, too: they are made first, with all d_c = 0.
#pragma once
#include "runtime/engine/transform/waves.h"
#include <facet/runtime/gradient.h>

namespace facet::runtime {

class WaveAdjoint {
public:
  /// `tangent`: the tangent kernel, with transforms for this kind of q; it outlives this.
  /// `columns`: those of the kernel.
  WaveAdjoint(const Kernel &tangent, const std::vector<std::string> &columns, const Grid &grid,
              std::shared_ptr<Pool> pool);
  ~WaveAdjoint();

  void setMesh(const Mesh &mesh);
  /// `params`: those of the kernel itself, without what they change by.
  void setParams(const std::vector<double> &params);
  /// Why this kernel and mesh have no adjoint by transforms to this tolerance; empty if they have.
  std::string refusal(double tolerance);
  /// The derivatives by each column at all records, without what q = 0 adds if `origin` sets F
  /// there. `tolerance`: of the transforms. Throws Error if NufftTransforms does.
  ColumnGradient columns(const std::vector<std::complex<double>> &g, double tolerance);
  /// Seconds that columns() is expected to take.
  double expected(double tolerance);

private:
  struct State;
  std::unique_ptr<State> state_;
};

} // namespace facet::runtime
