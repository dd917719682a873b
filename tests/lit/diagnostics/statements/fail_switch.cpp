// switch.
// RUN: not facetc %s --emit=ir -o %t.fir 2>&1 | FileCheck %s --match-full-lines --strict-whitespace
#include <facet/dsl.h>
using namespace facet;
struct FACET_KERNEL k {
  using Grid = product<real, real, cplx>;
  static cplx term(Grid::q q, const Triangle &t) {
    switch (2) {
    default:
      return t.area;
    }
  }
  static cplx finish(Grid::q q, cplx sum) { return sum; }
};
// CHECK:{{.*}}fail_switch.cpp:8:5: error: 'switch' is not in the language: write condition ? a : b [facet-switch]
// CHECK-NEXT:    8 |     switch (2) {
// CHECK-NEXT:      |     ^
// CHECK-NEXT:note: both branches are computed and one is chosen, lane by lane
// CHECK-NEXT:1 error generated.
