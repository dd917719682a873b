// Names from other languages and libraries.
// RUN: not facetc %s --emit=ir -o %t.fir 2>&1 | FileCheck %s --match-full-lines --strict-whitespace
#include <facet/dsl.h>
using namespace facet;
struct FACET_KERNEL k {
  using Grid = product<real, real, cplx>;
  static cplx term(Grid::q q, const Triangle &t) {
    return fabs(t.area) * M_PI + I;
  }
  static cplx finish(Grid::q q, cplx sum) { return sum; }
};
// CHECK:{{.*}}fail_rename.cpp:8:12: error: 'fabs' is not in the language: write 'abs' [facet-rename]
// CHECK-NEXT:    8 |     return fabs(t.area) * M_PI + I;
// CHECK-NEXT:      |            ^~~~
// CHECK-NEXT:      |            abs
// CHECK-NEXT:{{.*}}fail_rename.cpp:8:27: error: 'M_PI' is not in the language: write 'pi' [facet-rename]
// CHECK-NEXT:    8 |     return fabs(t.area) * M_PI + I;
// CHECK-NEXT:      |                           ^~~~
// CHECK-NEXT:      |                           pi
// CHECK-NEXT:{{.*}}fail_rename.cpp:8:34: error: 'I' is not in the language: write 'i' [facet-rename]
// CHECK-NEXT:    8 |     return fabs(t.area) * M_PI + I;
// CHECK-NEXT:      |                                  ^
// CHECK-NEXT:      |                                  i
// CHECK-NEXT:3 errors generated.
