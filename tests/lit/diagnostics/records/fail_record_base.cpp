// A record built on a struct of one's own.
// RUN: not facetc %s --emit=ir -o %t.fir 2>&1 | FileCheck %s --match-full-lines --strict-whitespace
#include <facet/dsl.h>
using namespace facet;
struct base { real area; vec3 centroid; };
struct Layer : base { real contrast; };
struct FACET_KERNEL k {
  using Grid = product<real, real, cplx>;
  static cplx term(Grid::q q, const Layer &t) { return t.area * cis(dot(q, t.centroid)); }
  static cplx finish(Grid::q q, cplx sum) { return sum; }
};
// CHECK:{{.*}}fail_record_base.cpp:6:16: error: record 'Layer' is built on 'base': only Triangle, or a record built on it, can be extended [facet-record-base]
// CHECK-NEXT:    6 | struct Layer : base { real contrast; };
// CHECK-NEXT:      |                ^~~~
// CHECK-NEXT:1 error generated.
