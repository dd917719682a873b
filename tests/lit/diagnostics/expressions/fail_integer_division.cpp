// 1 / 3 is 0 in C++.
// RUN: not facetc %s --emit=ir -o %t.fir 2>&1 | FileCheck %s --match-full-lines --strict-whitespace
#include <facet/dsl.h>
using namespace facet;
struct FACET_KERNEL k {
  using Grid = product<real, real, cplx>;
  static cplx term(Grid::q q, const Triangle &t) {
    return 1 / 3 * t.area;
  }
  static constexpr int n = 3;
  static real origin(const Triangle &t) { return (n + 1) / 2 * t.area; }
  static cplx finish(Grid::q q, cplx sum) { return sum; }
};
// CHECK:{{.*}}fail_integer_division.cpp:8:14: error: '1 / 3' divides integers, which drops the fraction: write '1.0 / 3' [facet-integer-division]
// CHECK-NEXT:    8 |     return 1 / 3 * t.area;
// CHECK-NEXT:      |            ~~^~~
// CHECK-NEXT:      |            1.0
// CHECK-NEXT:{{.*}}fail_integer_division.cpp:11:58: error: '(n + 1) / 2' divides integers, which drops the fraction: write 'real(n + 1) / 2' [facet-integer-division]
// CHECK-NEXT:   11 |   static real origin(const Triangle &t) { return (n + 1) / 2 * t.area; }
// CHECK-NEXT:      |                                                  ~~~~~~~~^~~
// CHECK-NEXT:      |                                                  real(n + 1)
// CHECK-NEXT:2 errors generated.
