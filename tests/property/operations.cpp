// operations.cpp - operations, conditions and choices that no example kernel has, for the
// instructions they become.
#include <facet/dsl.h>
using namespace facet;

struct FACET_KERNEL operations {
  using Grid = product<real, real, cplx>;
  struct Params {
    real kappa = 0.5;
  };
  static cplx term(Grid::q q, const Triangle &t, const Params &p) {
    const real slope = t.normal.z * re(q.z), root = sqrt(1.0 + slope * slope);
    const real angle = atan2(t.area, 1.5 + norm2(q)),
               size = log(0.5 + (root - angle) * (root - angle));
    const real chosen = t.area < 0.6875 && p.kappa > 0.25 ? size : erf(t.area);
    const cplx wave = cis(abs(cis(dot(q, t.centroid))));
    return t.area < 1.25 ? chosen * wave : cis(dot(q, t.edge1));
  }
  static cplx finish(Grid::q, cplx sum, const Params &) { return sum; }
};
