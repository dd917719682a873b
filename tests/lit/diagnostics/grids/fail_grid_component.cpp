// A component that is no number of the language.
// RUN: not facetc %s --emit=ir -o %t.fir 2>&1 | FileCheck %s --match-full-lines --strict-whitespace
#include <facet/dsl.h>
using namespace facet;
struct FACET_KERNEL k {
  using Grid = product<real, int, real>;
  static cplx term(Grid::q q, const Triangle &t) { return t.area; }
  static cplx finish(Grid::q q, cplx sum) { return sum; }
};
// CHECK:{{.*}}fail_grid_component.cpp:6:30: error: component y of the grid is 'int': write real, cplx or fixed<N> [facet-grid-component]
// CHECK-NEXT:    6 |   using Grid = product<real, int, real>;
// CHECK-NEXT:      |                              ^
// CHECK-NEXT:1 error generated.
