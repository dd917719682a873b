// Defaults of parameters are not used.
// RUN: facetc %s --emit=ir -o %t.fir 2>&1 | FileCheck %s --match-full-lines --strict-whitespace
#include <facet/dsl.h>
using namespace facet;
struct FACET_KERNEL k {
  using Grid = product<real, real, cplx>;
  struct Params { real kappa = 2; };
  static cplx term(Grid::q q, const Triangle &t, const Params &p) { return p.kappa * t.area * cis(dot(q, t.centroid)); }
  static cplx finish(Grid::q q, cplx sum) { return sum; }
};
// CHECK:{{.*}}warn_params_default.cpp:7:32: warning: the default of parameter 'kappa' is not used: remove it [facet-params-default]
// CHECK-NEXT:    7 |   struct Params { real kappa = 2; };
// CHECK-NEXT:      |                                ^
// CHECK-NEXT:note: the experiment file or the command line gives the values of parameters
// CHECK-NEXT:1 warning generated.
