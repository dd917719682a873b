// A function that is not the kernel's.
// RUN: not facetc %s --emit=ir -o %t.fir 2>&1 | FileCheck %s --match-full-lines --strict-whitespace
#include <facet/dsl.h>
using namespace facet;
real twice(real x) { return 2 * x; }
struct other { static real thrice(real x) { return 3 * x; } };
struct FACET_KERNEL k {
  using Grid = product<real, real, cplx>;
  static cplx term(Grid::q q, const Triangle &t) { return twice(t.area) + other::thrice(t.area); }
  static cplx finish(Grid::q q, cplx sum) { return sum; }
};
// CHECK:{{.*}}fail_outside_function.cpp:9:59: error: 'twice' is not a function of the kernel: make it a static function of 'k' [facet-outside-function]
// CHECK-NEXT:    9 |   static cplx term(Grid::q q, const Triangle &t) { return twice(t.area) + other::thrice(t.area); }
// CHECK-NEXT:      |                                                           ^~~~~
// CHECK-NEXT:note: a kernel is read in one place; facet inlines its functions
// CHECK-NEXT:{{.*}}fail_outside_function.cpp:9:75: error: 'thrice' is not a function of the kernel: make it a static function of 'k' [facet-outside-function]
// CHECK-NEXT:    9 |   static cplx term(Grid::q q, const Triangle &t) { return twice(t.area) + other::thrice(t.area); }
// CHECK-NEXT:      |                                                                           ^~~~~~~~~~~~~
// CHECK-NEXT:note: a kernel is read in one place; facet inlines its functions
// CHECK-NEXT:2 errors generated.
