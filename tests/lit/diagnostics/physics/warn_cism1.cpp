// cis(...) - 1 and its mean.
// RUN: facetc %s --emit=ir -o %t.fir 2>&1 | FileCheck %s --match-full-lines --strict-whitespace
#include <facet/dsl.h>
using namespace facet;
struct FACET_KERNEL k {
  using Grid = product<real, real, cplx>;
  static cplx term(Grid::q q, const Triangle &t) {
    return t.area * (cis(dot(q, t.centroid)) - 1) + (-1 + mean_cis(q, t));
  }
  static cplx finish(Grid::q q, cplx sum) { return sum; }
};
// CHECK:{{.*}}warn_cism1.cpp:8:46: warning: cis(...) - 1 loses its digits near 0: write cism1(...) [facet-cism1]
// CHECK-NEXT:    8 |     return t.area * (cis(dot(q, t.centroid)) - 1) + (-1 + mean_cis(q, t));
// CHECK-NEXT:      |                      ~~~~~~~~~~~~~~~~~~~~~~~~^~~
// CHECK-NEXT:      |                      cism1(dot(q, t.centroid))
// CHECK-NEXT:note: cism1(x) is e^{ix} - 1, exact near 0; mean_cism1 is its mean over a triangle
// CHECK-NEXT:{{.*}}warn_cism1.cpp:8:57: warning: mean_cis(...) - 1 loses its digits near 0: write mean_cism1(...) [facet-cism1]
// CHECK-NEXT:    8 |     return t.area * (cis(dot(q, t.centroid)) - 1) + (-1 + mean_cis(q, t));
// CHECK-NEXT:      |                                                      ~~~^~~~~~~~~~~~~~~~
// CHECK-NEXT:      |                                                      mean_cism1(q, t)
// CHECK-NEXT:note: cism1(x) is e^{ix} - 1, exact near 0; mean_cism1 is its mean over a triangle
// CHECK-NEXT:2 warnings generated.
