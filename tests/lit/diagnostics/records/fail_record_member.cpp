// Columns that are no numbers.
// RUN: not facetc %s --emit=ir -o %t.fir 2>&1 | FileCheck %s --match-full-lines --strict-whitespace
#include <facet/dsl.h>
using namespace facet;
struct Layer : Triangle {
  cplx contrast;
  int kind;
  real *more;
};
struct FACET_KERNEL k {
  using Grid = product<real, real, cplx>;
  static cplx term(Grid::q q, const Layer &t) { return t.area * cis(dot(q, t.centroid)); }
  static cplx finish(Grid::q q, cplx sum) { return sum; }
};
// CHECK:{{.*}}fail_record_member.cpp:6:8: error: column 'contrast' has type 'cplx': write 'real' or 'vec3' [facet-record-member]
// CHECK-NEXT:    6 |   cplx contrast;
// CHECK-NEXT:      |        ^
// CHECK-NEXT:note: a column is one real number or one real vector a record
// CHECK-NEXT:{{.*}}fail_record_member.cpp:7:7: error: column 'kind' has type 'int': write 'real' or 'vec3' [facet-record-member]
// CHECK-NEXT:    7 |   int kind;
// CHECK-NEXT:      |       ^
// CHECK-NEXT:note: a column is one real number or one real vector a record
// CHECK-NEXT:{{.*}}fail_record_member.cpp:8:9: error: column 'more' has type 'real *': write 'real' or 'vec3' [facet-record-member]
// CHECK-NEXT:    8 |   real *more;
// CHECK-NEXT:      |         ^
// CHECK-NEXT:note: a column is one real number or one real vector a record
// CHECK-NEXT:3 errors generated.
