// norm2(q) goes with conj(q) in the weight.
// RUN: facetc %s --emit=ir -o %t.fir 2>&1 | FileCheck %s --match-full-lines --strict-whitespace
#include <facet/dsl.h>
using namespace facet;
struct FACET_KERNEL k {
  using Grid = product<real, real, cplx>;
  static cplx term(Grid::q q, const Triangle &t) { return dot(q, t.normal) * cis(dot(q, t.centroid)); }
  static cplx finish(Grid::q q, cplx sum) { return -i * sum / norm2(q); }
  static real origin(const Triangle &t) { return t.area; }
};
// CHECK:{{.*}}warn_pair_norm2.cpp:8:63: warning: norm2(q) divides a weight with q, not conj(q), and q may be complex: write dot(conj(q), ...) in the weight [facet-pair-norm2]
// CHECK-NEXT:    8 |   static cplx finish(Grid::q q, cplx sum) { return -i * sum / norm2(q); }
// CHECK-NEXT:      |                                                               ^~~~~~~~
// CHECK-NEXT:note: the pairs are dot(q, n) / dot(q, q) and dot(conj(q), n) / norm2(q); mixed they are wrong as soon as q has an imaginary part
// CHECK-NEXT:1 warning generated.
