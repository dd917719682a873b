// A local nothing reads.
// RUN: facetc %s --emit=ir -o %t.fir 2>&1 | FileCheck %s --match-full-lines --strict-whitespace
#include <facet/dsl.h>
using namespace facet;
struct FACET_KERNEL k {
  using Grid = product<real, real, cplx>;
  static cplx term(Grid::q q, const Triangle &t) {
    const real w = 2 * t.area;
    return t.area;
  }
  static cplx finish(Grid::q q, cplx sum) { return sum; }
};
// CHECK:{{.*}}warn_unused_local.cpp:8:16: warning: 'w' is not used [facet-unused-local]
// CHECK-NEXT:    8 |     const real w = 2 * t.area;
// CHECK-NEXT:      |                ^
// CHECK-NEXT:1 warning generated.
