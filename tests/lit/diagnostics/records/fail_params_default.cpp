// The default of a parameter is a constant of the language.
// RUN: not facetc %s --emit=ir -o %t.fir 2>&1 | FileCheck %s --match-full-lines --strict-whitespace
#include <facet/dsl.h>
using namespace facet;
struct FACET_KERNEL k {
  using Grid = product<real, real, cplx>;
  struct Params { real kappa = 1 / 0.0; real sigma = kappa; };
  static cplx term(Grid::q q, const Triangle &t, const Params &p) {
    return p.kappa * p.sigma * t.area * cis(dot(q, t.centroid));
  }
  static cplx finish(Grid::q q, cplx sum) { return sum; }
};
// CHECK:{{.*}}fail_params_default.cpp:7:32: error: the default of parameter 'kappa' is no finite constant: write numbers, or remove it [facet-params-default]
// CHECK-NEXT:    7 |   struct Params { real kappa = 1 / 0.0; real sigma = kappa; };
// CHECK-NEXT:      |                                ^~~~~~~
// CHECK-NEXT:note: the default is kept in the kernel library, for runs that do not give the parameter
// CHECK-NEXT:{{.*}}fail_params_default.cpp:7:54: error: the default of parameter 'sigma' is no finite constant: write numbers, or remove it [facet-params-default]
// CHECK-NEXT:    7 |   struct Params { real kappa = 1 / 0.0; real sigma = kappa; };
// CHECK-NEXT:      |                                                      ^~~~~
// CHECK-NEXT:note: the default is kept in the kernel library, for runs that do not give the parameter
// CHECK-NEXT:2 errors generated.
