// A number as a condition.
// RUN: not facetc %s --emit=ir -o %t.fir 2>&1 | FileCheck %s --match-full-lines --strict-whitespace
#include <facet/dsl.h>
using namespace facet;
struct FACET_KERNEL k {
  using Grid = product<real, real, cplx>;
  static cplx term(Grid::q q, const Triangle &t) {
    return t.area ? 1 : !t.area ? 2 : 3;
  }
  static cplx finish(Grid::q q, cplx sum) { return sum; }
};
// CHECK:{{.*}}fail_number_condition.cpp:8:12: error: a condition is a number: write what it is compared with, as in t.area != 0 [facet-number-condition]
// CHECK-NEXT:    8 |     return t.area ? 1 : !t.area ? 2 : 3;
// CHECK-NEXT:      |            ^~~~~~
// CHECK-NEXT:{{.*}}fail_number_condition.cpp:8:26: error: a condition is a number: write what it is compared with, as in t.area != 0 [facet-number-condition]
// CHECK-NEXT:    8 |     return t.area ? 1 : !t.area ? 2 : 3;
// CHECK-NEXT:      |                          ^~~~~~
// CHECK-NEXT:2 errors generated.
