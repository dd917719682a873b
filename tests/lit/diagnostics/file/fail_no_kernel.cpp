// A file without a marked struct.
// RUN: not facetc %s --emit=ir -o %t.fir 2>&1 | FileCheck %s --match-full-lines --strict-whitespace
#include <facet/dsl.h>
using namespace facet;
struct born {
  using Grid = product<real, real, cplx>;
  static cplx term(Grid::q q, const Triangle &t) { return t.area * cis(dot(q, t.centroid)); }
  static cplx finish(Grid::q q, cplx sum) { return sum; }
};
// CHECK:{{.*}}fail_no_kernel.cpp:1:1: error: no kernel in '{{.*}}fail_no_kernel.cpp': mark a struct with FACET_KERNEL [facet-no-kernel]
// CHECK-NEXT:    1 | // A file without a marked struct.
// CHECK-NEXT:      | ^
// CHECK-NEXT:note: a kernel is written struct FACET_KERNEL name { using Grid = ...; term; finish; };
// CHECK-NEXT:1 error generated.
