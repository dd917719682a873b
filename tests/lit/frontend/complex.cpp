// Reals where complex numbers are asked for are taken as they are, except under a root, where
// negative numbers have one; parts of numbers and of vectors.
// RUN: facetc %s --emit=ir | FileCheck %s
#include <facet/dsl.h>
using namespace facet;

struct FACET_KERNEL k {
  using Grid = product<real, real, cplx>;
  static cplx term(Grid::q q, const Triangle &t) {
    const cplx promoted = t.area;
    const vec3 damping = im(q);
    return sqrt(promoted) + sqrt(t.area) + q.z.re + re(q.z) + cplx(1, 2) + damping.z;
  }
  static cplx finish(Grid::q q, cplx sum) { return conj(sum) * norm2(sum) + norm2(q.x) + conj(q.y) + im(q.x); }
};
// CHECK:      sum t {
// CHECK-NEXT:   %1 = component.x q : cplx [x y z]
// CHECK-NEXT:   %2 = im %1 : real [x y z]
// CHECK:        vec %2,
// CHECK:        csqrt t.area : cplx [t]
// CHECK-NEXT:   sqrt t.area : real [t]
// CHECK:        re q.z : real [z]
// CHECK:        complex 1, 2 : cplx []
// CHECK:        component.z %{{[0-9]+}} : real
// CHECK:      finish {
// CHECK-NEXT:   %1 = conj sum : cplx [x y z]
// CHECK-NEXT:   %2 = norm2 sum : real [x y z]
// CHECK-NEXT:   %3 = mul %1, %2 : cplx [x y z]
// CHECK-NEXT:   %4 = norm2 q.x : real [x]
// CHECK-NEXT:   %5 = add %3, %4 : cplx [x y z]
// CHECK-NEXT:   %6 = add %5, q.y : cplx [x y z]
// CHECK-NEXT:   %7 = add %6, 0 : cplx [x y z]
