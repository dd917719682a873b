// Two vectors multiplied.
// RUN: not facetc %s --emit=ir -o %t.fir 2>&1 | FileCheck %s --match-full-lines --strict-whitespace
#include <facet/dsl.h>
using namespace facet;
struct FACET_KERNEL k {
  using Grid = product<real, real, cplx>;
  static cplx term(Grid::q q, const Triangle &t) { return t.area * cis(q * t.centroid) + (t.normal - t.centroid) * q; }
  static cplx finish(Grid::q q, cplx sum) { return sum; }
};
// CHECK:{{.*}}fail_vector_product.cpp:7:74: error: '*' does not multiply two vectors: write dot(q, t.centroid) [facet-vector-product]
// CHECK-NEXT:    7 |   static cplx term(Grid::q q, const Triangle &t) { return t.area * cis(q * t.centroid) + (t.normal - t.centroid) * q; }
// CHECK-NEXT:      |                                                                        ~~^~~~~~~~~~~~
// CHECK-NEXT:      |                                                                        dot(q, t.centroid)
// CHECK-NEXT:note: dot gives a number, cross a vector; neither conjugates
// CHECK-NEXT:{{.*}}fail_vector_product.cpp:7:114: error: '*' does not multiply two vectors: write dot((t.normal - t.centroid), q) [facet-vector-product]
// CHECK-NEXT:    7 |   static cplx term(Grid::q q, const Triangle &t) { return t.area * cis(q * t.centroid) + (t.normal - t.centroid) * q; }
// CHECK-NEXT:      |                                                                                          ~~~~~~~~~~~~~~~~~~~~~~~~^~~
// CHECK-NEXT:      |                                                                                          dot((t.normal - t.centroid), q)
// CHECK-NEXT:note: dot gives a number, cross a vector; neither conjugates
// CHECK-NEXT:2 errors generated.
