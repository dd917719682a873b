// A template for term.
// RUN: not facetc %s --emit=ir -o %t.fir 2>&1 | FileCheck %s --match-full-lines --strict-whitespace
#include <facet/dsl.h>
using namespace facet;
struct FACET_KERNEL k {
  using Grid = product<real, real, cplx>;
  template <class Q> static cplx term(Q q, const Triangle &t) { return t.area * cis(dot(q, t.centroid)); }
  static cplx finish(Grid::q q, cplx sum) { return sum; }
};
// CHECK:{{.*}}fail_function_template.cpp:7:34: error: 'term' is a template: write its types [facet-function-template]
// CHECK-NEXT:    7 |   template <class Q> static cplx term(Q q, const Triangle &t) { return t.area * cis(dot(q, t.centroid)); }
// CHECK-NEXT:      |                                  ^
// CHECK-NEXT:note: facet derives the other grids and precisions from one kernel by itself
// CHECK-NEXT:1 error generated.
