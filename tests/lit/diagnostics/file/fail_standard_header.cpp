// Kernels see no standard headers.
// RUN: not facetc %s --emit=ir -o %t.fir 2>&1 | FileCheck %s --match-full-lines --strict-whitespace
#include <cmath>
#include <facet/dsl.h>
using namespace facet;
struct FACET_KERNEL k {
  using Grid = product<real, real, cplx>;
  static cplx term(Grid::q q, const Triangle &t) { return t.area * cis(dot(q, t.centroid)); }
  static cplx finish(Grid::q q, cplx sum) { return sum; }
};
// CHECK:{{.*}}fail_standard_header.cpp:3:10: error: <cmath> is no part of the language: remove it [facet-standard-header]
// CHECK-NEXT:    3 | #include <cmath>
// CHECK-NEXT:      | ~~~~~~~~~^~~~~~~
// CHECK-NEXT:note: kernels see no standard or system headers, so that they mean the same everywhere; <facet/dsl.h> has real, cplx, vec3, sqrt, exp, sin, cos and the rest
// CHECK-NEXT:1 error generated.
