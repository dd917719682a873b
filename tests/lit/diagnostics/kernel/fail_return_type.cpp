// A term that is a vector.
// RUN: not facetc %s --emit=ir -o %t.fir 2>&1 | FileCheck %s --match-full-lines --strict-whitespace
#include <facet/dsl.h>
using namespace facet;
struct FACET_KERNEL k {
  using Grid = product<real, real, cplx>;
  static vec3 term(Grid::q q, const Triangle &t) { return t.normal; }
  static cplx finish(Grid::q q, cplx sum) { return sum; }
};
// CHECK:{{.*}}fail_return_type.cpp:7:10: error: 'term' returns 'vec3': return 'real' or 'cplx' [facet-return-type]
// CHECK-NEXT:    7 |   static vec3 term(Grid::q q, const Triangle &t) { return t.normal; }
// CHECK-NEXT:      |          ^~~~
// CHECK-NEXT:      |          cplx
// CHECK-NEXT:1 error generated.
