// Functions of the kernel are inlined wherever they stand, with their locals and default arguments;
// templates are their instances.
// RUN: facetc %s --emit=ir | FileCheck %s
#include <facet/dsl.h>
using namespace facet;

struct FACET_KERNEL k {
  using Grid = product<real, real, cplx>;
  static cplx term(Grid::q q, const Triangle &t) {
    const auto weight = flux(q, t);
    return scaled(weight) * twice(phase(q, t.centroid));
  }
  static cplx finish(Grid::q q, cplx sum) { return twice(sum); }
  static cplx flux(Grid::q q, const Triangle &t) {
    const cvec3 c = conj(q);
    return t.area * dot(c, t.normal);
  }
  static cplx phase(cvec3 q, vec3 at) { return cis(dot(q, at)); }
  static cplx scaled(cplx w, real by = 0.5) { return by * w; }
  template <class T> static T twice(T x) { return 2 * x; }
  static real unused(real x) { return x; }
};
// CHECK:      sum t {
// CHECK-NEXT:   %1 = conj q : cvec3 [x y z]
// CHECK-NEXT:   %2 = dot %1, t.normal : cplx [x y z t]
// CHECK-NEXT:   %3 = mul t.area, %2 : cplx [x y z t]
// CHECK-NEXT:   %4 = mul 0.5, %3 : cplx [x y z t]
// CHECK-NEXT:   %5 = dot q, t.centroid : cplx [x y z t]
// CHECK-NEXT:   %6 = cis %5 : cplx [x y z t]
// CHECK-NEXT:   %7 = mul 2, %6 : cplx [x y z t]
// CHECK-NEXT:   %8 = mul %4, %7 : cplx [x y z t]
// CHECK-NEXT:   yield %8
// CHECK:      finish {
// CHECK-NEXT:   %1 = mul 2, sum : cplx [x y z]
