// A record without columns.
// RUN: not facetc %s --emit=ir -o %t.fir 2>&1 | FileCheck %s --match-full-lines --strict-whitespace
#include <facet/dsl.h>
using namespace facet;
struct Nothing {};
struct FACET_KERNEL k {
  using Grid = product<real, real, cplx>;
  static cplx term(Grid::q q, const Nothing &t) { return cis(q.x); }
  static cplx finish(Grid::q q, cplx sum) { return sum; }
};
// CHECK:{{.*}}fail_record_empty.cpp:5:8: error: record 'Nothing' has no columns: write at least one 'real' or 'vec3' [facet-record-empty]
// CHECK-NEXT:    5 | struct Nothing {};
// CHECK-NEXT:      |        ^
// CHECK-NEXT:1 error generated.
