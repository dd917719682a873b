// A function without a body.
// RUN: not facetc %s --emit=ir -o %t.fir 2>&1 | FileCheck %s --match-full-lines --strict-whitespace
#include <facet/dsl.h>
using namespace facet;
struct FACET_KERNEL k {
  using Grid = product<real, real, cplx>;
  static real weight(const Triangle &t);
  static cplx term(Grid::q q, const Triangle &t) { return weight(t) * cis(dot(q, t.centroid)); }
  static cplx finish(Grid::q q, cplx sum) { return sum; }
};
// CHECK:{{.*}}fail_function_body.cpp:7:15: error: 'weight' is declared without a body: define it here [facet-function-body]
// CHECK-NEXT:    7 |   static real weight(const Triangle &t);
// CHECK-NEXT:      |               ^
// CHECK-NEXT:note: facet inlines every function it meets
// CHECK-NEXT:1 error generated.
