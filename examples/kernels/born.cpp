// born.cpp - the classic form factor of a closed mesh, centroid rule.
#include <facet/dsl.h>
using namespace facet;

/// Volume form factor, nm^3: F = -i / (q.q) sum s (q.n) e^{i q.c}, by the divergence theorem
/// (Sarje et al., SC12). Singular where q.q = 0: see closed.
struct FACET_KERNEL born {
  using Grid = product<real, real, cplx>;
  static cplx term(Grid::q q, const Triangle &t) {
    return t.area * dot(q, t.normal) * cis(dot(q, t.centroid));
  }
  static cplx finish(Grid::q q, cplx sum) { return -i * sum / dot(q, q); }
  static real origin(const Triangle &t) { return t.area * dot(t.centroid, t.normal) / 3; }
};
