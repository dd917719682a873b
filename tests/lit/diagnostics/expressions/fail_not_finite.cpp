// Numbers beyond double.
// RUN: not facetc %s --emit=ir -o %t.fir 2>&1 | FileCheck %s --match-full-lines --strict-whitespace
#include <facet/dsl.h>
using namespace facet;
struct FACET_KERNEL k {
  using Grid = product<real, real, cplx>;
  static cplx term(Grid::q q, const Triangle &t) {
    return 1e400 * t.area;
  }
  static cplx finish(Grid::q q, cplx sum) { return sum; }
};
// CHECK:{{.*}}fail_not_finite.cpp:8:12: warning: magnitude of floating-point constant too large for type 'double'; maximum is 1.7976931348623157E+308
// CHECK-NEXT:    8 |     return 1e400 * t.area;
// CHECK-NEXT:      |            ^
// CHECK-NEXT:{{.*}}fail_not_finite.cpp:8:12: error: '1e400' is not a finite number in double precision [facet-not-finite]
// CHECK-NEXT:    8 |     return 1e400 * t.area;
// CHECK-NEXT:      |            ^~~~~
// CHECK-NEXT:1 warning and 1 error generated.
