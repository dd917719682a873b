// Axes of no length.
// RUN: not facetc %s --emit=ir -o %t.fir 2>&1 | FileCheck %s --match-full-lines --strict-whitespace
#include <facet/dsl.h>
using namespace facet;
struct FACET_KERNEL k {
  using Grid = product<fixed<0>, real, fixed<-3, cplx>>;
  static cplx term(Grid::q q, const Triangle &t) { return t.area; }
  static cplx finish(Grid::q q, cplx sum) { return sum; }
};
// CHECK:{{.*}}fail_grid_extent.cpp:6:24: error: the extent of component x is 0: it must be 1 or more [facet-grid-extent]
// CHECK-NEXT:    6 |   using Grid = product<fixed<0>, real, fixed<-3, cplx>>;
// CHECK-NEXT:      |                        ^
// CHECK-NEXT:note: fixed<N> is an axis of N values, N known when compiling
// CHECK-NEXT:{{.*}}fail_grid_extent.cpp:6:40: error: the extent of component z is -3: it must be 1 or more [facet-grid-extent]
// CHECK-NEXT:    6 |   using Grid = product<fixed<0>, real, fixed<-3, cplx>>;
// CHECK-NEXT:      |                                        ^
// CHECK-NEXT:note: fixed<N> is an axis of N values, N known when compiling
// CHECK-NEXT:2 errors generated.
