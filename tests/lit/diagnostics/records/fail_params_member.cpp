// Parameters are numbers and vectors.
// RUN: not facetc %s --emit=ir -o %t.fir 2>&1 | FileCheck %s --match-full-lines --strict-whitespace
#include <facet/dsl.h>
using namespace facet;
struct FACET_KERNEL k {
  using Grid = product<real, real, cplx>;
  struct Params { bool kappa; int n; };
  static cplx term(Grid::q q, const Triangle &t) { return t.area * cis(dot(q, t.centroid)); }
  static cplx finish(Grid::q q, cplx sum) { return sum; }
};
// CHECK:{{.*}}fail_params_member.cpp:7:24: error: parameter 'kappa' has type 'bool': write 'real', 'cplx', 'vec3' or 'cvec3' [facet-params-member]
// CHECK-NEXT:    7 |   struct Params { bool kappa; int n; };
// CHECK-NEXT:      |                        ^
// CHECK-NEXT:note: run-time parameters are numbers and vectors given by the command line or the experiment file
// CHECK-NEXT:{{.*}}fail_params_member.cpp:7:35: error: parameter 'n' has type 'int': write 'real', 'cplx', 'vec3' or 'cvec3' [facet-params-member]
// CHECK-NEXT:    7 |   struct Params { bool kappa; int n; };
// CHECK-NEXT:      |                                   ^
// CHECK-NEXT:note: run-time parameters are numbers and vectors given by the command line or the experiment file
// CHECK-NEXT:2 errors generated.
