// An expression, but no return.
// RUN: not facetc %s --emit=ir -o %t.fir 2>&1 | FileCheck %s --match-full-lines --strict-whitespace
#include <facet/dsl.h>
using namespace facet;
struct FACET_KERNEL k {
  using Grid = product<real, real, cplx>;
  static real nothing(real x) {}
  static cplx term(Grid::q q, const Triangle &t) {
    t.area * cis(dot(q, t.centroid));
  }
  static real origin(const Triangle &t) { return nothing(t.area); }
  static cplx finish(Grid::q q, cplx sum) { return sum; }
};
// CHECK:{{.*}}fail_return_missing.cpp:9:5: error: 'term' returns nothing: end it with 'return ...;' [facet-return-missing]
// CHECK-NEXT:    9 |     t.area * cis(dot(q, t.centroid));
// CHECK-NEXT:      |     ^
// CHECK-NEXT:      |     return{{ +}}
// CHECK-NEXT:{{.*}}fail_return_missing.cpp:7:32: error: 'nothing' returns nothing: end it with 'return ...;' [facet-return-missing]
// CHECK-NEXT:    7 |   static real nothing(real x) {}
// CHECK-NEXT:      |                                ^
// CHECK-NEXT:2 errors generated.
