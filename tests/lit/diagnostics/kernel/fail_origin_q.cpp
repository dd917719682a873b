// origin is the value at q = 0, so it has no q.
// RUN: not facetc %s --emit=ir -o %t.fir 2>&1 | FileCheck %s --match-full-lines --strict-whitespace
#include <facet/dsl.h>
using namespace facet;
struct FACET_KERNEL k {
  using Grid = product<real, real, cplx>;
  static cplx term(Grid::q q, const Triangle &t) { return t.area * cis(dot(q, t.centroid)); }
  static real origin(Grid::q q, const Triangle &t) { return t.area; }
  static cplx finish(Grid::q q, cplx sum) { return sum; }
};
// CHECK:{{.*}}fail_origin_q.cpp:8:22: error: 'origin' has a parameter q: remove it [facet-origin-q]
// CHECK-NEXT:    8 |   static real origin(Grid::q q, const Triangle &t) { return t.area; }
// CHECK-NEXT:      |                      ^~~~~~~~~
// CHECK-NEXT:note: origin is the value at q = 0, a sum over the records, so it takes the record only
// CHECK-NEXT:1 error generated.
