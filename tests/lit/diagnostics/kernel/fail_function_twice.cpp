// term for two grids.
// RUN: not facetc %s --emit=ir -o %t.fir 2>&1 | FileCheck %s --match-full-lines --strict-whitespace
#include <facet/dsl.h>
using namespace facet;
struct FACET_KERNEL k {
  using Grid = product<real, real, cplx>;
  static cplx term(Grid::q q, const Triangle &t) { return t.area * cis(dot(q, t.centroid)); }
  static cplx term(vec3 q, const Triangle &t) { return t.area * cis(dot(q, t.centroid)); }
  static cplx finish(Grid::q q, cplx sum) { return sum; }
};
// CHECK:{{.*}}fail_function_twice.cpp:8:15: error: 'term' is written twice: keep one [facet-function-twice]
// CHECK-NEXT:    8 |   static cplx term(vec3 q, const Triangle &t) { return t.area * cis(dot(q, t.centroid)); }
// CHECK-NEXT:      |               ^
// CHECK-NEXT:note: facet derives the other grids from one kernel by itself
// CHECK-NEXT:{{.*}}fail_function_twice.cpp:8:20: error: this parameter of 'term' has type 'vec3': write 'Grid::q' [facet-parameter-type]
// CHECK-NEXT:    8 |   static cplx term(vec3 q, const Triangle &t) { return t.area * cis(dot(q, t.centroid)); }
// CHECK-NEXT:      |                    ^~~~~~
// CHECK-NEXT:      |                    Grid::q q
// CHECK-NEXT:2 errors generated.
