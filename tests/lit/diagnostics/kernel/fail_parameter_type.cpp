// Parameters of other types.
// RUN: not facetc %s --emit=ir -o %t.fir 2>&1 | FileCheck %s --match-full-lines --strict-whitespace
#include <facet/dsl.h>
using namespace facet;
struct FACET_KERNEL k {
  using Grid = product<real, real, cplx>;
  struct Params { real kappa; };
  static cplx term(vec3 q, Triangle &t, real kappa) { return t.area; }
  static cplx finish(Grid::q q, real sum) { return sum; }
};
// CHECK:{{.*}}fail_parameter_type.cpp:8:20: error: this parameter of 'term' has type 'vec3': write 'Grid::q' [facet-parameter-type]
// CHECK-NEXT:    8 |   static cplx term(vec3 q, Triangle &t, real kappa) { return t.area; }
// CHECK-NEXT:      |                    ^~~~~~
// CHECK-NEXT:      |                    Grid::q q
// CHECK-NEXT:{{.*}}fail_parameter_type.cpp:8:28: error: this parameter of 'term' has type 'Triangle &': write 'const Triangle &' [facet-parameter-type]
// CHECK-NEXT:    8 |   static cplx term(vec3 q, Triangle &t, real kappa) { return t.area; }
// CHECK-NEXT:      |                            ^~~~~~~~~~~
// CHECK-NEXT:      |                            const Triangle &t
// CHECK-NEXT:{{.*}}fail_parameter_type.cpp:8:41: error: this parameter of 'term' has type 'real': write 'const Params &' [facet-parameter-type]
// CHECK-NEXT:    8 |   static cplx term(vec3 q, Triangle &t, real kappa) { return t.area; }
// CHECK-NEXT:      |                                         ^~~~~~~~~~
// CHECK-NEXT:      |                                         const Params &kappa
// CHECK-NEXT:{{.*}}fail_parameter_type.cpp:9:33: error: this parameter of 'finish' has type 'real': write 'cplx' [facet-parameter-type]
// CHECK-NEXT:    9 |   static cplx finish(Grid::q q, real sum) { return sum; }
// CHECK-NEXT:      |                                 ^~~~~~~~
// CHECK-NEXT:      |                                 cplx sum
// CHECK-NEXT:4 errors generated.
