// Macros and conditions: another compiler would see another file.
// RUN: not facetc %s --emit=ir -o %t.fir 2>&1 | FileCheck %s --match-full-lines --strict-whitespace
#include <facet/dsl.h>
using namespace facet;
#define TWO 2
#ifdef __OPTIMIZE__
#endif
#pragma weak k
struct FACET_KERNEL k {
  using Grid = product<real, real, cplx>;
  static cplx term(Grid::q q, const Triangle &t) { return t.area * cis(dot(q, t.centroid)); }
  static cplx finish(Grid::q q, cplx sum) { return sum; }
};
// CHECK:{{.*}}fail_directive.cpp:5:1: error: '#define' is not in the language: remove it [facet-directive]
// CHECK-NEXT:    5 | #define TWO 2
// CHECK-NEXT:      | ^
// CHECK-NEXT:note: a kernel file has no macros and no conditions, so that every compiler sees the same; constants are constexpr
// CHECK-NEXT:{{.*}}fail_directive.cpp:6:1: error: '#ifdef' is not in the language: remove it [facet-directive]
// CHECK-NEXT:    6 | #ifdef __OPTIMIZE__
// CHECK-NEXT:      | ^
// CHECK-NEXT:note: a kernel file has no macros and no conditions, so that every compiler sees the same; constants are constexpr
// CHECK-NEXT:{{.*}}fail_directive.cpp:7:1: error: '#endif' is not in the language: remove it [facet-directive]
// CHECK-NEXT:    7 | #endif
// CHECK-NEXT:      | ^
// CHECK-NEXT:note: a kernel file has no macros and no conditions, so that every compiler sees the same; constants are constexpr
// CHECK-NEXT:{{.*}}fail_directive.cpp:8:1: error: '#pragma' is not in the language: remove it [facet-directive]
// CHECK-NEXT:    8 | #pragma weak k
// CHECK-NEXT:      | ^
// CHECK-NEXT:note: a kernel file has no macros and no conditions, so that every compiler sees the same; constants are constexpr
// CHECK-NEXT:4 errors generated.
