// Defaults of columns are not used.
// RUN: facetc %s --emit=ir -o %t.fir 2>&1 | FileCheck %s --match-full-lines --strict-whitespace
#include <facet/dsl.h>
using namespace facet;
struct Layer : Triangle { real contrast = 1; };
struct FACET_KERNEL k {
  using Grid = product<real, real, cplx>;
  static cplx term(Grid::q q, const Layer &t) { return t.contrast * t.area * cis(dot(q, t.centroid)); }
  static cplx finish(Grid::q q, cplx sum) { return sum; }
};
// CHECK:{{.*}}warn_record_default.cpp:5:43: warning: the default of column 'contrast' is not used: remove it [facet-record-default]
// CHECK-NEXT:    5 | struct Layer : Triangle { real contrast = 1; };
// CHECK-NEXT:      |                                           ^
// CHECK-NEXT:note: the mesh file gives the values of columns, and a missing column is an error
// CHECK-NEXT:1 warning generated.
