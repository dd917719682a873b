// A header of one's own that is not there.
// RUN: not facetc %s --emit=ir -o %t.fir 2>&1 | FileCheck %s --match-full-lines --strict-whitespace
#include "constants.h"
#include <facet/dsl.h>
using namespace facet;
struct FACET_KERNEL k {
  using Grid = product<real, real, cplx>;
  static cplx term(Grid::q q, const Triangle &t) { return t.area * cis(dot(q, t.centroid)); }
  static cplx finish(Grid::q q, cplx sum) { return sum; }
};
// CHECK:{{.*}}fail_include.cpp:3:10: error: "constants.h" is another file: write here what the kernel needs of it [facet-include]
// CHECK-NEXT:    3 | #include "constants.h"
// CHECK-NEXT:      |          ^
// CHECK-NEXT:note: a kernel file includes <facet/dsl.h> and no other file: it is read in one place, and its cached library depends on it alone
// CHECK-NEXT:1 error generated.
