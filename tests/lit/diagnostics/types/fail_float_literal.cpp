// Literals of fixed precision.
// RUN: not facetc %s --emit=ir -o %t.fir 2>&1 | FileCheck %s --match-full-lines --strict-whitespace
#include <facet/dsl.h>
using namespace facet;
struct FACET_KERNEL k {
  using Grid = product<real, real, cplx>;
  static cplx term(Grid::q q, const Triangle &t) {
    return 0.5f * t.area + 2.0L;
  }
  static cplx finish(Grid::q q, cplx sum) { return sum; }
};
// CHECK:{{.*}}fail_float_literal.cpp:8:12: error: '0.5f' is a number of fixed precision: remove the 'f' [facet-float-literal]
// CHECK-NEXT:    8 |     return 0.5f * t.area + 2.0L;
// CHECK-NEXT:      |            ^~~~
// CHECK-NEXT:note: facet chooses the precision
// CHECK-NEXT:{{.*}}fail_float_literal.cpp:8:28: error: '2.0L' is a number of fixed precision: remove the 'L' [facet-float-literal]
// CHECK-NEXT:    8 |     return 0.5f * t.area + 2.0L;
// CHECK-NEXT:      |                            ^~~~
// CHECK-NEXT:note: facet chooses the precision
// CHECK-NEXT:2 errors generated.
