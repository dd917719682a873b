// A condition as a number.
// RUN: not facetc %s --emit=ir -o %t.fir 2>&1 | FileCheck %s --match-full-lines --strict-whitespace
#include <facet/dsl.h>
using namespace facet;
struct FACET_KERNEL k {
  using Grid = product<real, real, cplx>;
  static cplx term(Grid::q q, const Triangle &t) {
    const bool large = t.area > 1;
    return large * t.area + (t.area < 2) * 3;
  }
  static cplx finish(Grid::q q, cplx sum) { return sum; }
};
// CHECK:{{.*}}fail_condition_number.cpp:9:12: error: a condition is used as a number: write large ? 1 : 0 [facet-condition-number]
// CHECK-NEXT:    9 |     return large * t.area + (t.area < 2) * 3;
// CHECK-NEXT:      |            ^~~~~
// CHECK-NEXT:{{.*}}fail_condition_number.cpp:9:37: error: a condition is used as a number: write (t.area < 2) ? 1 : 0 [facet-condition-number]
// CHECK-NEXT:    9 |     return large * t.area + (t.area < 2) * 3;
// CHECK-NEXT:      |                              ~~~~~~~^~~
// CHECK-NEXT:2 errors generated.
