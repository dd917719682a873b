// Run-time parameters: all are listed, in order; each function may take them.
// RUN: facetc %s --emit=ir | FileCheck %s
#include <facet/dsl.h>
using namespace facet;

struct FACET_KERNEL k {
  using Grid = product<>;
  struct Params {
    real kappa, sigma;
    real scale;
  };
  static cplx term(Grid::q q, const Triangle &t, const Params &p) {
    return p.kappa * t.area * cis(dot(q, t.centroid));
  }
  static cplx finish(Grid::q q, cplx sum, Params p) { return exp(-p.sigma * norm2(q)) * sum; }
  static real origin(const Triangle &t, Params p) { return scaled(t, p); }
  static real scaled(const Triangle &t, const Params &p) { return p.scale * t.area; }
};
// CHECK: params { kappa, sigma, scale }
// CHECK: mul p.kappa, t.area : real [t]
// CHECK: finish
// CHECK: neg p.sigma : real []
// CHECK: origin t
// CHECK: mul p.scale, t.area : real [t]
