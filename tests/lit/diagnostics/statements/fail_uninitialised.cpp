// Locals without a value.
// RUN: not facetc %s --emit=ir -o %t.fir 2>&1 | FileCheck %s --match-full-lines --strict-whitespace
#include <facet/dsl.h>
using namespace facet;
struct FACET_KERNEL k {
  using Grid = product<real, real, cplx>;
  static cplx term(Grid::q q, const Triangle &t) {
    real w;
    vec3 v;
    return t.area;
  }
  static cplx finish(Grid::q q, cplx sum) { return sum; }
};
// CHECK:{{.*}}fail_uninitialised.cpp:8:10: error: 'w' has no value: write real w = ...; [facet-uninitialised]
// CHECK-NEXT:    8 |     real w;
// CHECK-NEXT:      |          ^
// CHECK-NEXT:note: values are assigned once, where they are declared
// CHECK-NEXT:{{.*}}fail_uninitialised.cpp:9:10: error: 'v' has no value: write vec3 v = ...; [facet-uninitialised]
// CHECK-NEXT:    9 |     vec3 v;
// CHECK-NEXT:      |          ^
// CHECK-NEXT:note: values are assigned once, where they are declared
// CHECK-NEXT:2 errors generated.
