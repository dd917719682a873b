// The classic kernel: names, comment, columns used, grid; nothing that is not used.
// RUN: facetc %s --emit=ir | FileCheck %s
#include <facet/dsl.h>
using namespace facet;

/// The classic formula, centroid rule,
/// over two lines.
/// More is not kept.
struct FACET_KERNEL born {
  using Grid = product<real, real, cplx>;
  static cplx term(Grid::q q, const Triangle &t) {
    return t.area * dot(q, t.normal) * cis(dot(q, t.centroid));
  }
  static cplx finish(Grid::q q, cplx sum) { return -i * sum / dot(q, q); }
  static real origin(const Triangle &t) { return t.area * dot(t.centroid, t.normal) / 3; }
};
// CHECK:      kernel @born {
// CHECK-NEXT:   doc "The classic formula, centroid rule, over two lines."
// CHECK-NEXT:   triangle { area: real, normal: vec3, centroid: vec3 }
// CHECK-NEXT:   grid product { x: real, y: real, z: cplx }
// CHECK-NEXT:   sum t {
// CHECK-NEXT:     %1 = dot q, t.normal : cplx [x y z t]
// CHECK-NEXT:     %2 = mul t.area, %1 : cplx [x y z t]
// CHECK-NEXT:     %3 = dot q, t.centroid : cplx [x y z t]
// CHECK-NEXT:     %4 = cis %3 : cplx [x y z t]
// CHECK-NEXT:     %5 = mul %2, %4 : cplx [x y z t]
// CHECK-NEXT:     yield %5
// CHECK:        finish {
// CHECK-NEXT:     %1 = neg i : cplx []
// CHECK-NEXT:     %2 = mul %1, sum : cplx [x y z]
// CHECK-NEXT:     %3 = dot q, q : cplx [x y z]
// CHECK-NEXT:     %4 = div %2, %3 : cplx [x y z]
// CHECK-NEXT:     yield %4
// CHECK:        origin t {
// CHECK-NEXT:     %1 = dot t.centroid, t.normal : real [t]
// CHECK-NEXT:     %2 = mul t.area, %1 : real [t]
// CHECK-NEXT:     %3 = div %2, 3 : real [t]
// CHECK-NEXT:     yield %3
