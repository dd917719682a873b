// A complex condition.
// RUN: not facetc %s --emit=ir -o %t.fir 2>&1 | FileCheck %s --match-full-lines --strict-whitespace
#include <facet/dsl.h>
using namespace facet;
struct FACET_KERNEL k {
  using Grid = product<real, real, cplx>;
  static cplx term(Grid::q q, const Triangle &t) {
    const cplx phase = dot(q, t.normal);
    return phase ? t.area : phase && true ? 1 : 2;
  }
  static cplx finish(Grid::q q, cplx sum) { return sum; }
};
// CHECK:{{.*}}fail_complex_condition.cpp:9:12: error: a condition is 'cplx': compare its re, im, abs or norm2 with something [facet-complex-condition]
// CHECK-NEXT:    9 |     return phase ? t.area : phase && true ? 1 : 2;
// CHECK-NEXT:      |            ^~~~~
// CHECK-NEXT:{{.*}}fail_complex_condition.cpp:9:29: error: a condition is 'cplx': compare its re, im, abs or norm2 with something [facet-complex-condition]
// CHECK-NEXT:    9 |     return phase ? t.area : phase && true ? 1 : 2;
// CHECK-NEXT:      |                             ^~~~~
// CHECK-NEXT:{{.*}}fail_complex_condition.cpp:9:35: error: a condition is 'cplx': compare its re, im, abs or norm2 with something [facet-complex-condition]
// CHECK-NEXT:    9 |     return phase ? t.area : phase && true ? 1 : 2;
// CHECK-NEXT:      |                             ~~~~~ ^  ~~~~
// CHECK-NEXT:3 errors generated.
