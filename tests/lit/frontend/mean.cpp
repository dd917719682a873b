// mean_cis of q and a triangle is that of the phases of its corners; phases may also be given.
// RUN: facetc %s --emit=ir | FileCheck %s
#include <facet/dsl.h>
using namespace facet;

struct FACET_KERNEL k {
  using Grid = product<>;
  static cplx term(Grid::q q, const Triangle &t) {
    return mean_cis(q, t) + mean_cism1(dot(q, t.vertex1), 0, q.x);
  }
  static cplx finish(Grid::q q, cplx sum) { return sum; }
};
// CHECK: triangle { vertex0: vec3, vertex1: vec3, vertex2: vec3 }
// CHECK: %1 = dot q, t.vertex0 : real [x y z t]
// CHECK: %2 = dot q, t.vertex1 : real [x y z t]
// CHECK: %3 = dot q, t.vertex2 : real [x y z t]
// CHECK: %4 = mean_cis %1, %2, %3 : cplx [x y z t]
// CHECK: %5 = dot q, t.vertex1 : real [x y z t]
// CHECK: %6 = mean_cism1 %5, 0, q.x : cplx [x y z t]
