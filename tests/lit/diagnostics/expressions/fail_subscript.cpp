// Components by number.
// RUN: not facetc %s --emit=ir -o %t.fir 2>&1 | FileCheck %s --match-full-lines --strict-whitespace
#include <facet/dsl.h>
using namespace facet;
struct FACET_KERNEL k {
  using Grid = product<real, real, cplx>;
  static constexpr int n = 1;
  static cplx term(Grid::q q, const Triangle &t) { return t.normal[2] * q[0] + t.normal[n]; }
  static cplx finish(Grid::q q, cplx sum) { return sum; }
};
// CHECK:{{.*}}fail_subscript.cpp:8:67: error: 't.normal[2]' is not in the language: write t.normal.z [facet-subscript]
// CHECK-NEXT:    8 |   static cplx term(Grid::q q, const Triangle &t) { return t.normal[2] * q[0] + t.normal[n]; }
// CHECK-NEXT:      |                                                           ~~~~~~~~^~
// CHECK-NEXT:note: the components of a vector are x, y and z
// CHECK-NEXT:{{.*}}fail_subscript.cpp:8:74: error: 'q[0]' is not in the language: write q.x [facet-subscript]
// CHECK-NEXT:    8 |   static cplx term(Grid::q q, const Triangle &t) { return t.normal[2] * q[0] + t.normal[n]; }
// CHECK-NEXT:      |                                                                         ~^~
// CHECK-NEXT:note: the components of a vector are x, y and z
// CHECK-NEXT:{{.*}}fail_subscript.cpp:8:88: error: 't.normal[n]' is not in the language: write t.normal.x, t.normal.y or t.normal.z [facet-subscript]
// CHECK-NEXT:    8 |   static cplx term(Grid::q q, const Triangle &t) { return t.normal[2] * q[0] + t.normal[n]; }
// CHECK-NEXT:      |                                                                                ~~~~~~~~^~
// CHECK-NEXT:note: the components of a vector are x, y and z
// CHECK-NEXT:3 errors generated.
