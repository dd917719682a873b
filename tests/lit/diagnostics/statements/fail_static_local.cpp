// A static local is state.
// RUN: not facetc %s --emit=ir -o %t.fir 2>&1 | FileCheck %s --match-full-lines --strict-whitespace
#include <facet/dsl.h>
using namespace facet;
struct FACET_KERNEL k {
  using Grid = product<real, real, cplx>;
  static cplx term(Grid::q q, const Triangle &t) {
    static real calls = 0;
    return t.area;
  }
  static cplx finish(Grid::q q, cplx sum) { return sum; }
};
// CHECK:{{.*}}fail_static_local.cpp:8:17: error: 'calls' is static and not constexpr: write a plain local [facet-static-local]
// CHECK-NEXT:    8 |     static real calls = 0;
// CHECK-NEXT:      |                 ^
// CHECK-NEXT:note: a kernel has no state
// CHECK-NEXT:1 error generated.
