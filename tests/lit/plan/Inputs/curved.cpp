// curved.cpp - a kernel whose phase is not linear in q: only direct sums apply.
#include <facet/dsl.h>
using namespace facet;

/// Waves with a phase that grows as (q.c)^2.
struct FACET_KERNEL curved {
  using Grid = product<real, real, real>;
  static cplx term(Grid::q q, const Triangle &t) {
    return t.area * cis(dot(q, t.centroid) * dot(q, t.centroid) * 0.01);
  }
  static cplx finish(Grid::q q, cplx sum) { return sum; }
};
