// Run-time parameters: all are listed, in order, with types and defaults; each function may take
// them. A complex number or a vector is made of the real numbers that a run is given.
// RUN: facetc %s --emit=ir | FileCheck %s
#include <facet/dsl.h>
using namespace facet;

struct FACET_KERNEL k {
  using Grid = product<>;
  static constexpr real half = 0.5;
  static real twice(real a) { return 2 * a; }
  struct Params {
    real kappa, sigma = twice(half);
    real scale{3};
    cplx n = 1 - half * i, one = 1;
    vec3 m = {0, 0, -1.5}, up = vec3(0, 0, 1) / 4;
    cvec3 e = up0 * i, none;
  };
  static constexpr vec3 up0{0, 1, 0};
  static cplx term(Grid::q q, const Triangle &t, const Params &p) {
    return p.kappa * p.n * t.area * dot(p.m, t.normal) * cis(dot(q, t.centroid));
  }
  static cplx finish(Grid::q q, cplx sum, Params p) {
    return exp(-p.sigma * norm2(q)) * sum * p.e.y + p.one + p.up.x + p.none.z;
  }
  static real origin(const Triangle &t, Params p) { return scaled(t, p); }
  static real scaled(const Triangle &t, const Params &p) { return p.scale * t.area; }
};
// CHECK: params { kappa, sigma = 1, scale = 3, n: cplx = 1 -0.5, one: cplx = 1 0, m: vec3 = 0 0 -1.5, up: vec3 = 0 0 0.25, e: cvec3 = 0 0 0 1 0 0, none: cvec3 }
// CHECK: %1 = complex p.n.re, p.n.im : cplx []
// CHECK: %2 = mul p.kappa, %1 : cplx []
// CHECK: %4 = vec p.m.x, p.m.y, p.m.z : vec3 []
// CHECK: finish
// CHECK: neg p.sigma : real []
// CHECK: origin t
// CHECK: mul p.scale, t.area : real [t]
