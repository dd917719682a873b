// Vectors where numbers are taken.
// RUN: not facetc %s --emit=ir -o %t.fir 2>&1 | FileCheck %s --match-full-lines --strict-whitespace
#include <facet/dsl.h>
using namespace facet;
struct FACET_KERNEL k {
  using Grid = product<real, real, cplx>;
  static cplx term(Grid::q q, const Triangle &t) { return t.area / t.normal + (t.area + t.normal) + (q < t.normal); }
  static cplx finish(Grid::q q, cplx sum) { return sum; }
};
// CHECK:{{.*}}fail_vector_operator.cpp:7:66: error: '/' does not take a number and a vector: write a number for the vector, as .x, norm, or dot [facet-vector-operator]
// CHECK-NEXT:    7 |   static cplx term(Grid::q q, const Triangle &t) { return t.area / t.normal + (t.area + t.normal) + (q < t.normal); }
// CHECK-NEXT:      |                                                           ~~~~~~ ^ ~~~~~~~~
// CHECK-NEXT:note: vectors are added to vectors, and multiplied or divided by numbers
// CHECK-NEXT:{{.*}}fail_vector_operator.cpp:7:87: error: '+' does not take a number and a vector: write a number for the vector, as .x, norm, or dot [facet-vector-operator]
// CHECK-NEXT:    7 |   static cplx term(Grid::q q, const Triangle &t) { return t.area / t.normal + (t.area + t.normal) + (q < t.normal); }
// CHECK-NEXT:      |                                                                                ~~~~~~ ^ ~~~~~~~~
// CHECK-NEXT:note: vectors are added to vectors, and multiplied or divided by numbers
// CHECK-NEXT:{{.*}}fail_vector_operator.cpp:7:104: error: '<' does not take a vector and a vector: write a number for the vector, as .x, norm, or dot [facet-vector-operator]
// CHECK-NEXT:    7 |   static cplx term(Grid::q q, const Triangle &t) { return t.area / t.normal + (t.area + t.normal) + (q < t.normal); }
// CHECK-NEXT:      |                                                                                                      ~ ^ ~~~~~~~~
// CHECK-NEXT:note: vectors are added to vectors, and multiplied or divided by numbers
// CHECK-NEXT:3 errors generated.
