// A kernel with a base class.
// RUN: not facetc %s --emit=ir -o %t.fir 2>&1 | FileCheck %s --match-full-lines --strict-whitespace
#include <facet/dsl.h>
using namespace facet;
struct base {};
struct FACET_KERNEL k : base {
  using Grid = product<real, real, cplx>;
  static cplx term(Grid::q q, const Triangle &t) { return t.area * cis(dot(q, t.centroid)); }
  static cplx finish(Grid::q q, cplx sum) { return sum; }
};
// CHECK:{{.*}}fail_kernel_base.cpp:6:25: error: kernel 'k' has a base class: write its functions in the struct itself [facet-kernel-base]
// CHECK-NEXT:    6 | struct FACET_KERNEL k : base {
// CHECK-NEXT:      |                         ^~~~
// CHECK-NEXT:note: a kernel is read in one place
// CHECK-NEXT:1 error generated.
