// Types left out.
// RUN: not facetc %s --emit=ir -o %t.fir 2>&1 | FileCheck %s --match-full-lines --strict-whitespace
#include <facet/dsl.h>
using namespace facet;
struct FACET_KERNEL k {
  using Grid = product<real, real, cplx>;
  static constexpr third = 1.0 / 3;
  static term(Grid::q q, const Triangle &t) { return third * half(t.area) * cis(dot(q, t.centroid)); }
  static half(real x) { return x / 2; }
  static cplx finish(Grid::q q, cplx sum) { return sum; }
};
// CHECK:{{.*}}fail_missing_type.cpp:7:20: error: 'third' has no type: write real before its name [facet-missing-type]
// CHECK-NEXT:    7 |   static constexpr third = 1.0 / 3;
// CHECK-NEXT:      |                    ^
// CHECK-NEXT:      |                    real{{ +}}
// CHECK-NEXT:note: real or cplx for a value, what a function returns for a function
// CHECK-NEXT:{{.*}}fail_missing_type.cpp:8:10: error: 'term' has no type: write cplx before its name [facet-missing-type]
// CHECK-NEXT:    8 |   static term(Grid::q q, const Triangle &t) { return third * half(t.area) * cis(dot(q, t.centroid)); }
// CHECK-NEXT:      |          ^
// CHECK-NEXT:      |          cplx{{ +}}
// CHECK-NEXT:note: real or cplx for a value, what a function returns for a function
// CHECK-NEXT:{{.*}}fail_missing_type.cpp:9:10: error: 'half' has no type: write cplx before its name [facet-missing-type]
// CHECK-NEXT:    9 |   static half(real x) { return x / 2; }
// CHECK-NEXT:      |          ^
// CHECK-NEXT:      |          cplx{{ +}}
// CHECK-NEXT:note: real or cplx for a value, what a function returns for a function
// CHECK-NEXT:3 errors generated.
