// A kernel template.
// RUN: not facetc %s --emit=ir -o %t.fir 2>&1 | FileCheck %s --match-full-lines --strict-whitespace
#include <facet/dsl.h>
using namespace facet;
template <class T> struct FACET_KERNEL k {
  using Grid = product<real, real, cplx>;
  static cplx term(Grid::q q, const Triangle &t) { return t.area * cis(dot(q, t.centroid)); }
  static cplx finish(Grid::q q, cplx sum) { return sum; }
};
// CHECK:{{.*}}fail_kernel_template.cpp:5:40: error: kernel 'k' is a template: write a plain struct [facet-kernel-template]
// CHECK-NEXT:    5 | template <class T> struct FACET_KERNEL k {
// CHECK-NEXT:      |                                        ^
// CHECK-NEXT:note: facet derives other grids and precisions from one kernel by itself
// CHECK-NEXT:1 error generated.
