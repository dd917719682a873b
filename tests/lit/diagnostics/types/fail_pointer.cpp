// Pointers and references.
// RUN: not facetc %s --emit=ir -o %t.fir 2>&1 | FileCheck %s --match-full-lines --strict-whitespace
#include <facet/dsl.h>
using namespace facet;
struct FACET_KERNEL k {
  using Grid = product<real, real, cplx>;
  static real first(const real *x) { return *x; }
  static real same(const real &x) { return x; }
  static cplx term(Grid::q q, const Triangle &t) { return first(0) + same(t.area); }
  static cplx finish(Grid::q q, cplx sum) { return sum; }
};
// CHECK:{{.*}}fail_pointer.cpp:7:33: error: 'x' is a pointer: pass values; only records are passed by const reference [facet-pointer]
// CHECK-NEXT:    7 |   static real first(const real *x) { return *x; }
// CHECK-NEXT:      |                                 ^
// CHECK-NEXT:{{.*}}fail_pointer.cpp:8:32: error: 'x' is a reference: pass values; only records are passed by const reference [facet-pointer]
// CHECK-NEXT:    8 |   static real same(const real &x) { return x; }
// CHECK-NEXT:      |                                ^
// CHECK-NEXT:2 errors generated.
