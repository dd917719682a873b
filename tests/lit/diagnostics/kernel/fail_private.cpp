// A class is private unless it says otherwise.
// RUN: not facetc %s --emit=ir -o %t.fir 2>&1 | FileCheck %s --match-full-lines --strict-whitespace
#include <facet/dsl.h>
using namespace facet;
class FACET_KERNEL k {
  using Grid = product<real, real, cplx>;
  static cplx term(Grid::q q, const Triangle &t) { return t.area * cis(dot(q, t.centroid)); }
  static cplx finish(Grid::q q, cplx sum) { return sum; }
};
// CHECK:{{.*}}fail_private.cpp:7:15: error: 'term' is private: write struct, or public: above [facet-private]
// CHECK-NEXT:    7 |   static cplx term(Grid::q q, const Triangle &t) { return t.area * cis(dot(q, t.centroid)); }
// CHECK-NEXT:      |               ^
// CHECK-NEXT:note: the reference that is compiled from the same file calls it
// CHECK-NEXT:{{.*}}fail_private.cpp:8:15: error: 'finish' is private: write struct, or public: above [facet-private]
// CHECK-NEXT:    8 |   static cplx finish(Grid::q q, cplx sum) { return sum; }
// CHECK-NEXT:      |               ^
// CHECK-NEXT:note: the reference that is compiled from the same file calls it
// CHECK-NEXT:2 errors generated.
