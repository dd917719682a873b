// A function that is not static.
// RUN: not facetc %s --emit=ir -o %t.fir 2>&1 | FileCheck %s --match-full-lines --strict-whitespace
#include <facet/dsl.h>
using namespace facet;
struct FACET_KERNEL k {
  using Grid = product<real, real, cplx>;
  real half(real x) { return x / 2; }
  virtual real third(real x) { return x / 3; }
  static cplx term(Grid::q q, const Triangle &t) { return t.area * cis(dot(q, t.centroid)); }
  static cplx finish(Grid::q q, cplx sum) { return sum; }
};
// CHECK:{{.*}}fail_member_function.cpp:7:8: error: 'half' is not static: write 'static' before it [facet-member-function]
// CHECK-NEXT:    7 |   real half(real x) { return x / 2; }
// CHECK-NEXT:      |        ^
// CHECK-NEXT:      |   static{{ +}}
// CHECK-NEXT:note: a kernel has no state, so that its functions are static
// CHECK-NEXT:{{.*}}fail_member_function.cpp:8:16: error: 'third' is not static: write 'static' before it [facet-member-function]
// CHECK-NEXT:    8 |   virtual real third(real x) { return x / 3; }
// CHECK-NEXT:      |                ^
// CHECK-NEXT:      |   static{{ +}}
// CHECK-NEXT:note: a kernel has no state, so that its functions are static
// CHECK-NEXT:2 errors generated.
