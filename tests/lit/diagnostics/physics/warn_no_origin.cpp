// A division by q.q, and nothing for q = 0.
// RUN: facetc %s --emit=ir -o %t.fir 2>&1 | FileCheck %s --match-full-lines --strict-whitespace
#include <facet/dsl.h>
using namespace facet;
struct FACET_KERNEL k {
  using Grid = product<>;
  static cplx term(Grid::q q, const Triangle &t) { return t.area * cis(dot(q, t.centroid)); }
  static cplx finish(Grid::q q, cplx sum) { return sum / dot(q, q) + sum / norm2(q); } // told once
};
// CHECK:{{.*}}warn_no_origin.cpp:5:21: warning: kernel 'k' divides by dot(q, q) and has no origin: F at q = 0 will not be finite [facet-no-origin]
// CHECK-NEXT:    5 | struct FACET_KERNEL k {
// CHECK-NEXT:      |                     ^
// CHECK-NEXT:note: write static real origin(const Triangle &t) { return ...; }: the value at q = 0, a sum over the records too; the volume is t.area * dot(t.centroid, t.normal) / 3
// CHECK-NEXT:1 warning generated.
