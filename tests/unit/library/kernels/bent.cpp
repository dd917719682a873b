// bent.cpp - a phase that is not linear in q: neither fast algorithm can have it.
#include <facet/dsl.h>
using namespace facet;

/// Waves with a curvature.
struct FACET_KERNEL bent {
  using Grid = product<real, real, cplx>;
  static cplx term(Grid::q q, const Triangle &t) { return t.area * cis(q.x * q.z * t.centroid.x); }
  static cplx finish(Grid::q, cplx sum) { return sum; }
};
