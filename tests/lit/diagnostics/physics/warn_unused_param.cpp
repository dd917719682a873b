// A parameter nothing reads.
// RUN: facetc %s --emit=ir -o %t.fir 2>&1 | FileCheck %s --match-full-lines --strict-whitespace
#include <facet/dsl.h>
using namespace facet;
struct FACET_KERNEL k {
  using Grid = product<real, real, cplx>;
  struct Params { real kappa, lambda; };
  static cplx term(Grid::q q, const Triangle &t, const Params &p) { return p.kappa * t.area * cis(dot(q, t.centroid)); }
  static cplx finish(Grid::q q, cplx sum) { return sum; }
};
// CHECK:{{.*}}warn_unused_param.cpp:7:31: warning: parameter 'lambda' is not used [facet-unused-param]
// CHECK-NEXT:    7 |   struct Params { real kappa, lambda; };
// CHECK-NEXT:      |                               ^
// CHECK-NEXT:1 warning generated.
