// Data members and variables are state.
// RUN: not facetc %s --emit=ir -o %t.fir 2>&1 | FileCheck %s --match-full-lines --strict-whitespace
#include <facet/dsl.h>
using namespace facet;
struct FACET_KERNEL k {
  using Grid = product<real, real, cplx>;
  real scale;
  inline static real shift = 1;
  static constexpr real two = 2; // this is allowed
  static cplx term(Grid::q q, const Triangle &t) { return t.area * cis(dot(q, t.centroid)); }
  static cplx finish(Grid::q q, cplx sum) { return sum; }
};
// CHECK:{{.*}}fail_kernel_state.cpp:7:8: error: 'scale' is state of the kernel: write 'static constexpr real scale = ...', or make it a column or a parameter [facet-kernel-state]
// CHECK-NEXT:    7 |   real scale;
// CHECK-NEXT:      |        ^
// CHECK-NEXT:note: a kernel has no state: constants are static constexpr, what varies from record to record is a column, what is known at run time is in Params
// CHECK-NEXT:{{.*}}fail_kernel_state.cpp:8:22: error: 'shift' is state of the kernel: write 'static constexpr real shift = ...', or make it a column or a parameter [facet-kernel-state]
// CHECK-NEXT:    8 |   inline static real shift = 1;
// CHECK-NEXT:      |                      ^
// CHECK-NEXT:note: a kernel has no state: constants are static constexpr, what varies from record to record is a column, what is known at run time is in Params
// CHECK-NEXT:2 errors generated.
