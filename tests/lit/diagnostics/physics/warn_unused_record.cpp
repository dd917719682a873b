// A term without its record.
// RUN: facetc %s --emit=ir -o %t.fir 2>&1 | FileCheck %s --match-full-lines --strict-whitespace
#include <facet/dsl.h>
using namespace facet;
struct FACET_KERNEL k {
  using Grid = product<real, real, cplx>;
  static cplx term(Grid::q q, const Triangle &t) {
    return cis(q.x);
  }
  static cplx finish(Grid::q q, cplx sum) { return sum; }
};
// CHECK:{{.*}}warn_unused_record.cpp:7:15: warning: 'term' does not use its record: the sum is a number of records times the same value [facet-unused-record]
// CHECK-NEXT:    7 |   static cplx term(Grid::q q, const Triangle &t) {
// CHECK-NEXT:      |               ^
// CHECK-NEXT:1 warning generated.
