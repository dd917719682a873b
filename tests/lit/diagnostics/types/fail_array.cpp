// Arrays.
// RUN: not facetc %s --emit=ir -o %t.fir 2>&1 | FileCheck %s --match-full-lines --strict-whitespace
#include <facet/dsl.h>
using namespace facet;
struct FACET_KERNEL k {
  using Grid = product<real, real, cplx>;
  static cplx term(Grid::q q, const Triangle &t) {
    const real weights[2] = {1, 2};
    return weights[0] * t.area;
  }
  static cplx finish(Grid::q q, cplx sum) { return sum; }
};
// CHECK:{{.*}}fail_array.cpp:8:16: error: 'weights' is an array: write vec3, or a name for each value [facet-array]
// CHECK-NEXT:    8 |     const real weights[2] = {1, 2};
// CHECK-NEXT:      |                ^
// CHECK-NEXT:{{.*}}fail_array.cpp:9:12: error: 'weights[0]' is an array: write vec3, or a name for each value [facet-array]
// CHECK-NEXT:    9 |     return weights[0] * t.area;
// CHECK-NEXT:      |            ^~~~~~~~~~
// CHECK-NEXT:2 errors generated.
