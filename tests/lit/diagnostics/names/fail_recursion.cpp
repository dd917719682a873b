// A function that calls itself, at once or through another.
// RUN: not facetc %s --emit=ir -o %t.fir 2>&1 | FileCheck %s --match-full-lines --strict-whitespace
#include <facet/dsl.h>
using namespace facet;
struct FACET_KERNEL k {
  using Grid = product<real, real, cplx>;
  static real down(real x) { return x > 1 ? up(x - 1) : x; }
  static real up(real x) { return down(x); }
  static cplx term(Grid::q q, const Triangle &t) { return down(t.area); }
  static cplx finish(Grid::q q, cplx sum) { return sum; }
};
// CHECK:{{.*}}fail_recursion.cpp:8:35: error: 'down' calls itself: functions are inlined, so none can [facet-recursion]
// CHECK-NEXT:    8 |   static real up(real x) { return down(x); }
// CHECK-NEXT:      |                                   ^~~~~~~
// CHECK-NEXT:1 error generated.
