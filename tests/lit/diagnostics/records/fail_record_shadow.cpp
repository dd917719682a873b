// A column named like one of the triangle's.
// RUN: not facetc %s --emit=ir -o %t.fir 2>&1 | FileCheck %s --match-full-lines --strict-whitespace
#include <facet/dsl.h>
using namespace facet;
struct Layer : Triangle { real area; };
struct FACET_KERNEL k {
  using Grid = product<real, real, cplx>;
  static cplx term(Grid::q q, const Layer &t) { return t.area * cis(dot(q, t.centroid)); }
  static cplx finish(Grid::q q, cplx sum) { return sum; }
};
// CHECK:{{.*}}fail_record_shadow.cpp:5:32: error: column 'area' hides the column of the same name in 'Triangle': give it another name [facet-record-shadow]
// CHECK-NEXT:    5 | struct Layer : Triangle { real area; };
// CHECK-NEXT:      |                                ^
// CHECK-NEXT:note: columns are found in mesh files by name
// CHECK-NEXT:1 error generated.
