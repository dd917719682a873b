// Functions that facet has nowhere.
// RUN: not facetc %s --emit=ir -o %t.fir 2>&1 | FileCheck %s --match-full-lines --strict-whitespace
#include <facet/dsl.h>
using namespace facet;
struct FACET_KERNEL k {
  using Grid = product<real, real, cplx>;
  static cplx term(Grid::q q, const Triangle &t) {
    const real a = tan(t.area);
    const real b = detail::sinh(t.area) + log(t.area); // not 'long'
    return a + b;
  }
  static cplx finish(Grid::q q, cplx sum) { return sum; }
};
// CHECK:{{.*}}fail_unknown_function.cpp:8:20: error: 'tan' is not in the vocabulary [facet-unknown-function]
// CHECK-NEXT:    8 |     const real a = tan(t.area);
// CHECK-NEXT:      |                    ^
// CHECK-NEXT:note: docs/language.md lists it; another function can be written as a static function of the kernel, of what there is
// CHECK-NEXT:{{.*}}fail_unknown_function.cpp:9:43: error: 'log' is not in the vocabulary [facet-unknown-function]
// CHECK-NEXT:    9 |     const real b = detail::sinh(t.area) + log(t.area); // not 'long'
// CHECK-NEXT:      |                                           ^
// CHECK-NEXT:note: docs/language.md lists it; another function can be written as a static function of the kernel, of what there is
// CHECK-NEXT:2 errors generated.
