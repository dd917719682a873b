// goto and labels.
// RUN: not facetc %s --emit=ir -o %t.fir 2>&1 | FileCheck %s --match-full-lines --strict-whitespace
#include <facet/dsl.h>
using namespace facet;
struct FACET_KERNEL k {
  using Grid = product<real, real, cplx>;
  static cplx term(Grid::q q, const Triangle &t) {
    goto end;
    end:
    return t.area;
  }
  static cplx finish(Grid::q q, cplx sum) { return sum; }
};
// CHECK:{{.*}}fail_goto.cpp:8:5: error: 'goto' is not in the language: a function is locals and one return [facet-goto]
// CHECK-NEXT:    8 |     goto end;
// CHECK-NEXT:      |     ^
// CHECK-NEXT:{{.*}}fail_goto.cpp:9:5: error: 'label' is not in the language: a function is locals and one return [facet-goto]
// CHECK-NEXT:    9 |     end:
// CHECK-NEXT:      |     ^
// CHECK-NEXT:2 errors generated.
