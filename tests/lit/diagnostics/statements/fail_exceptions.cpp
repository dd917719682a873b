// throw and try.
// RUN: not facetc %s --emit=ir -o %t.fir 2>&1 | FileCheck %s --match-full-lines --strict-whitespace
#include <facet/dsl.h>
using namespace facet;
struct FACET_KERNEL k {
  using Grid = product<real, real, cplx>;
  static real checked(real x) { return x > 0 ? x : throw 1; }
  static real tried(real x) {
    try {
      return x;
    } catch (...) {
      return 0;
    }
  }
  static cplx term(Grid::q q, const Triangle &t) { return checked(t.area) + tried(t.area); }
  static cplx finish(Grid::q q, cplx sum) { return sum; }
};
// CHECK:{{.*}}fail_exceptions.cpp:7:52: error: 'throw' is not in the language: a kernel cannot fail [facet-exceptions]
// CHECK-NEXT:    7 |   static real checked(real x) { return x > 0 ? x : throw 1; }
// CHECK-NEXT:      |                                                    ^~~~~~~
// CHECK-NEXT:note: what is not finite is counted and reported by the run
// CHECK-NEXT:{{.*}}fail_exceptions.cpp:9:5: error: 'try' is not in the language: a kernel cannot fail [facet-exceptions]
// CHECK-NEXT:    9 |     try {
// CHECK-NEXT:      |     ^
// CHECK-NEXT:note: what is not finite is counted and reported by the run
// CHECK-NEXT:2 errors generated.
