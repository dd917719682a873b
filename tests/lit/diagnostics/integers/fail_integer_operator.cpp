// Operators of integers and bits.
// RUN: not facetc %s --emit=ir -o %t.fir 2>&1 | FileCheck %s --match-full-lines --strict-whitespace
#include <facet/dsl.h>
using namespace facet;
struct FACET_KERNEL k {
  using Grid = product<real, real, cplx>;
  static cplx term(Grid::q q, const Triangle &t) {
    const real a = 7 % 3 + (1 << 2) + ~1;
    return t.area % 2;
  }
  static cplx finish(Grid::q q, cplx sum) { return sum; }
};
// CHECK:{{.*}}fail_integer_operator.cpp:9:19: error: '%' works on bits or integers: kernels compute with real and complex numbers [facet-integer-operator]
// CHECK-NEXT:    9 |     return t.area % 2;
// CHECK-NEXT:      |            ~~~~~~ ^ ~
// CHECK-NEXT:{{.*}}fail_integer_operator.cpp:8:22: error: '%' works on bits or integers: kernels compute with real and complex numbers [facet-integer-operator]
// CHECK-NEXT:    8 |     const real a = 7 % 3 + (1 << 2) + ~1;
// CHECK-NEXT:      |                    ~~^~~
// CHECK-NEXT:{{.*}}fail_integer_operator.cpp:8:31: error: '<<' works on bits or integers: kernels compute with real and complex numbers [facet-integer-operator]
// CHECK-NEXT:    8 |     const real a = 7 % 3 + (1 << 2) + ~1;
// CHECK-NEXT:      |                             ~~^~~~
// CHECK-NEXT:{{.*}}fail_integer_operator.cpp:8:39: error: '~' works on bits or integers: kernels compute with real and complex numbers [facet-integer-operator]
// CHECK-NEXT:    8 |     const real a = 7 % 3 + (1 << 2) + ~1;
// CHECK-NEXT:      |                                       ^~
// CHECK-NEXT:4 errors generated.
