// closed.cpp - the form factor of a closed mesh, right at small q and in absorbing layers.
#include <facet/dsl.h>
using namespace facet;

/// Volume form factor, nm^3: F = -i / |q|^2 sum s (q*.n) (e^{i q.c} - 1), the divergence theorem
/// along conj(q): no singularity where q.q = 0, no cancellation near q = 0 (sum s n = 0).
struct FACET_KERNEL closed {
  using Grid = product<real, real, cplx>;
  static cplx term(Grid::q q, const Triangle &t) {
    return t.area * dot(conj(q), t.normal) * cism1(dot(q, t.centroid));
  }
  static cplx finish(Grid::q q, cplx sum) { return -i * sum / norm2(q); }
  static real origin(const Triangle &t) { return t.area * dot(t.centroid, t.normal) / 3; }
};
