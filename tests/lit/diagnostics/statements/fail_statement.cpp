// Statements without effect.
// RUN: not facetc %s --emit=ir -o %t.fir 2>&1 | FileCheck %s --match-full-lines --strict-whitespace
#include <facet/dsl.h>
using namespace facet;
struct FACET_KERNEL k {
  using Grid = product<real, real, cplx>;
  static cplx term(Grid::q q, const Triangle &t) {
    struct pair { real a, b; };
    t.area * 2;
    return t.area;
  }
  static cplx finish(Grid::q q, cplx sum) { return sum; }
};
// CHECK:{{.*}}fail_statement.cpp:8:5: error: this statement has no effect here: a function is locals and one return [facet-statement]
// CHECK-NEXT:    8 |     struct pair { real a, b; };
// CHECK-NEXT:      |     ^~~~~~~~~~~~~~~~~~~~~~~~~~
// CHECK-NEXT:{{.*}}fail_statement.cpp:9:5: error: this statement has no effect here: a function is locals and one return [facet-statement]
// CHECK-NEXT:    9 |     t.area * 2;
// CHECK-NEXT:      |     ^~~~~~~~~~
// CHECK-NEXT:2 errors generated.
