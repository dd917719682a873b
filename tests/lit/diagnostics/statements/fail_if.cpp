// if becomes ?:, with a fix-it where both branches return.
// RUN: not facetc %s --emit=ir -o %t.fir 2>&1 | FileCheck %s --match-full-lines --strict-whitespace
#include <facet/dsl.h>
using namespace facet;
struct FACET_KERNEL k {
  using Grid = product<real, real, cplx>;
  static real half(real x) {
    if (x > 0)
      return x / 2;
    return 0;
  }
  static real other(real x) {
    if (x < 0) {
    }
    return x;
  }
  static cplx term(Grid::q q, const Triangle &t) { return half(t.area) + other(t.area); }
  static cplx finish(Grid::q q, cplx sum) { return sum; }
};
// CHECK:{{.*}}fail_if.cpp:8:5: error: 'if' is not in the language: write condition ? a : b [facet-if]
// CHECK-NEXT:    8 |     if (x > 0)
// CHECK-NEXT:      |     ^~~~~~~~~~
// CHECK-NEXT:      |     return x > 0 ? x / 2 : 0
// CHECK-NEXT:    9 |       return x / 2;
// CHECK-NEXT:      |       ~~~~~~~~~~~~~
// CHECK-NEXT:   10 |     return 0;
// CHECK-NEXT:      |     ~~~~~~~~
// CHECK-NEXT:note: both branches are computed and one is chosen, lane by lane
// CHECK-NEXT:{{.*}}fail_if.cpp:13:5: error: 'if' is not in the language: write condition ? a : b [facet-if]
// CHECK-NEXT:   13 |     if (x < 0) {
// CHECK-NEXT:      |     ^
// CHECK-NEXT:note: both branches are computed and one is chosen, lane by lane
// CHECK-NEXT:2 errors generated.
