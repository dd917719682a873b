// Imaginary literals.
// RUN: not facetc %s --emit=ir -o %t.fir 2>&1 | FileCheck %s --match-full-lines --strict-whitespace
#include <facet/dsl.h>
using namespace facet;
struct FACET_KERNEL k {
  using Grid = product<real, real, cplx>;
  static cplx term(Grid::q q, const Triangle &t) { return exp(1j * dot(q, t.centroid)) + 2.5i; }
  static cplx finish(Grid::q q, cplx sum) { return sum; }
};
// CHECK:{{.*}}fail_imaginary.cpp:7:63: error: '1j' is not in the language: write i [facet-imaginary]
// CHECK-NEXT:    7 |   static cplx term(Grid::q q, const Triangle &t) { return exp(1j * dot(q, t.centroid)) + 2.5i; }
// CHECK-NEXT:      |                                                               ^~
// CHECK-NEXT:      |                                                               i
// CHECK-NEXT:note: i is the imaginary unit
// CHECK-NEXT:{{.*}}fail_imaginary.cpp:7:90: error: '2.5i' is not in the language: write 2.5 * i [facet-imaginary]
// CHECK-NEXT:    7 |   static cplx term(Grid::q q, const Triangle &t) { return exp(1j * dot(q, t.centroid)) + 2.5i; }
// CHECK-NEXT:      |                                                                                          ^~~~
// CHECK-NEXT:      |                                                                                          2.5 * i
// CHECK-NEXT:note: i is the imaginary unit
// CHECK-NEXT:2 errors generated.
