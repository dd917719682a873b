// ^ is no power.
// RUN: not facetc %s --emit=ir -o %t.fir 2>&1 | FileCheck %s --match-full-lines --strict-whitespace
#include <facet/dsl.h>
using namespace facet;
struct FACET_KERNEL k {
  using Grid = product<real, real, cplx>;
  static cplx term(Grid::q q, const Triangle &t) {
    return t.area ^ 2;
  }
  static cplx finish(Grid::q q, cplx sum) { return sum; }
};
// CHECK:{{.*}}fail_caret.cpp:8:19: error: '^' is not a power in C++: write the product x * x [facet-caret]
// CHECK-NEXT:    8 |     return t.area ^ 2;
// CHECK-NEXT:      |            ~~~~~~~^~~
// CHECK-NEXT:      |            t.area * t.area
// CHECK-NEXT:1 error generated.
