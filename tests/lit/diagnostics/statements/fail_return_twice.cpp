// A function has one return.
// RUN: not facetc %s --emit=ir -o %t.fir 2>&1 | FileCheck %s --match-full-lines --strict-whitespace
#include <facet/dsl.h>
using namespace facet;
struct FACET_KERNEL k {
  using Grid = product<real, real, cplx>;
  static cplx term(Grid::q q, const Triangle &t) {
    return t.area;
    return 2 * t.area;
  }
  static cplx finish(Grid::q q, cplx sum) { return sum; }
};
// CHECK:{{.*}}fail_return_twice.cpp:9:5: error: a second 'return': a function has one, its last statement [facet-return-twice]
// CHECK-NEXT:    9 |     return 2 * t.area;
// CHECK-NEXT:      |     ^
// CHECK-NEXT:note: write condition ? a : b to choose
// CHECK-NEXT:1 error generated.
