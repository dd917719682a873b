// Text.
// RUN: not facetc %s --emit=ir -o %t.fir 2>&1 | FileCheck %s --match-full-lines --strict-whitespace
#include <facet/dsl.h>
using namespace facet;
struct FACET_KERNEL k {
  using Grid = product<real, real, cplx>;
  static cplx term(Grid::q q, const Triangle &t) {
    "a kernel";
    return t.area;
  }
  static cplx finish(Grid::q q, cplx sum) { return sum; }
};
// CHECK:{{.*}}fail_string.cpp:8:5: error: "a kernel" is text: kernels compute with numbers only [facet-string]
// CHECK-NEXT:    8 |     "a kernel";
// CHECK-NEXT:      |     ^~~~~~~~~~
// CHECK-NEXT:1 error generated.
