// Complex numbers have no order.
// RUN: not facetc %s --emit=ir -o %t.fir 2>&1 | FileCheck %s --match-full-lines --strict-whitespace
#include <facet/dsl.h>
using namespace facet;
struct FACET_KERNEL k {
  using Grid = product<real, real, cplx>;
  static cplx term(Grid::q q, const Triangle &t) {
    const cplx phase = dot(q, t.normal);
    return phase < 1 ? t.area : phase == i ? 2 : 1;
  }
  static cplx finish(Grid::q q, cplx sum) { return sum; }
};
// CHECK:{{.*}}fail_complex_comparison.cpp:9:18: error: '<' compares complex numbers: compare re, im, abs or norm2 of them [facet-complex-comparison]
// CHECK-NEXT:    9 |     return phase < 1 ? t.area : phase == i ? 2 : 1;
// CHECK-NEXT:      |            ~~~~~ ^ ~
// CHECK-NEXT:note: complex numbers have no order, and rounding makes equality of little use
// CHECK-NEXT:{{.*}}fail_complex_comparison.cpp:9:39: error: '==' compares complex numbers: compare re, im, abs or norm2 of them [facet-complex-comparison]
// CHECK-NEXT:    9 |     return phase < 1 ? t.area : phase == i ? 2 : 1;
// CHECK-NEXT:      |                                 ~~~~~ ^  ~
// CHECK-NEXT:note: complex numbers have no order, and rounding makes equality of little use
// CHECK-NEXT:2 errors generated.
