// Too few and too many parameters.
// RUN: not facetc %s --emit=ir -o %t.fir 2>&1 | FileCheck %s --match-full-lines --strict-whitespace
#include <facet/dsl.h>
using namespace facet;
struct FACET_KERNEL k {
  using Grid = product<real, real, cplx>;
  static cplx term(const Triangle &t) { return t.area; }
  static cplx finish(Grid::q q, cplx sum, real a, real b) { return sum; }
};
// CHECK:{{.*}}fail_parameter_count.cpp:7:15: error: 'term' has 1 parameters: it takes (Grid::q q, const Triangle &t) [facet-parameter-count]
// CHECK-NEXT:    7 |   static cplx term(const Triangle &t) { return t.area; }
// CHECK-NEXT:      |               ^
// CHECK-NEXT:note: a last parameter of type Params is allowed where the kernel has run-time parameters
// CHECK-NEXT:{{.*}}fail_parameter_count.cpp:8:15: error: 'finish' has 4 parameters: it takes (Grid::q q, cplx sum) [facet-parameter-count]
// CHECK-NEXT:    8 |   static cplx finish(Grid::q q, cplx sum, real a, real b) { return sum; }
// CHECK-NEXT:      |               ^
// CHECK-NEXT:note: a last parameter of type Params is allowed where the kernel has run-time parameters
// CHECK-NEXT:2 errors generated.
