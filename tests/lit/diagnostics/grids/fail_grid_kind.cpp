// A Grid of another kind.
// RUN: not facetc %s --emit=ir -o %t.fir 2>&1 | FileCheck %s --match-full-lines --strict-whitespace
#include <facet/dsl.h>
using namespace facet;
struct FACET_KERNEL k {
  using Grid = vec3;
  static cplx term(vec3 q, const Triangle &t) { return t.area; }
  static cplx finish(vec3 q, cplx sum) { return sum; }
};
// CHECK:{{.*}}fail_grid_kind.cpp:6:16: error: Grid is 'vec3': write product<...> or points<...> [facet-grid-kind]
// CHECK-NEXT:    6 |   using Grid = vec3;
// CHECK-NEXT:      |                ^~~~
// CHECK-NEXT:note: a product grid takes every combination of three axes; points are a list of q
// CHECK-NEXT:1 error generated.
