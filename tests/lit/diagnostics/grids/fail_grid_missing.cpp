// A kernel without a Grid.
// RUN: not facetc %s --emit=ir -o %t.fir 2>&1 | FileCheck %s --match-full-lines --strict-whitespace
#include <facet/dsl.h>
using namespace facet;
struct FACET_KERNEL k {
  using q_type = product<real, real, cplx>::q;
  static cplx term(q_type q, const Triangle &t) { return t.area; }
  static cplx finish(q_type q, cplx sum) { return sum; }
};
// CHECK:{{.*}}fail_grid_missing.cpp:5:21: error: kernel 'k' has no Grid: write using Grid = product<real, real, real>; [facet-grid-missing]
// CHECK-NEXT:    5 | struct FACET_KERNEL k {
// CHECK-NEXT:      |                     ^
// CHECK-NEXT:note: the grid says what the kernel is written for: product<...> or points<...>, with real, cplx or fixed<N> components
// CHECK-NEXT:1 error generated.
