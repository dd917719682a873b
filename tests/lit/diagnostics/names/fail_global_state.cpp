// Variables outside the kernel.
// RUN: not facetc %s --emit=ir -o %t.fir 2>&1 | FileCheck %s --match-full-lines --strict-whitespace
#include <facet/dsl.h>
using namespace facet;
real wavelength = 0.1;
const real two = 2;
struct FACET_KERNEL k {
  using Grid = product<real, real, cplx>;
  static cplx term(Grid::q q, const Triangle &t) { return wavelength * two * t.area; }
  static cplx finish(Grid::q q, cplx sum) { return sum; }
};
// CHECK:{{.*}}fail_global_state.cpp:5:6: error: 'wavelength' is not constant: write constexpr, or make it a column or a parameter [facet-global-state]
// CHECK-NEXT:    5 | real wavelength = 0.1;
// CHECK-NEXT:      |      ^
// CHECK-NEXT:note: a kernel has no state
// CHECK-NEXT:{{.*}}fail_global_state.cpp:6:12: error: 'two' is not constant: write constexpr, or make it a column or a parameter [facet-global-state]
// CHECK-NEXT:    6 | const real two = 2;
// CHECK-NEXT:      |            ^
// CHECK-NEXT:note: a kernel has no state
// CHECK-NEXT:2 errors generated.
