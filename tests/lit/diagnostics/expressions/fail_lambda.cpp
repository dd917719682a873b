// Lambdas.
// RUN: not facetc %s --emit=ir -o %t.fir 2>&1 | FileCheck %s --match-full-lines --strict-whitespace
#include <facet/dsl.h>
using namespace facet;
struct FACET_KERNEL k {
  using Grid = product<real, real, cplx>;
  static cplx term(Grid::q q, const Triangle &t) {
    auto half = [](real x) { return x / 2; };
    return half(t.area);
  }
  static cplx finish(Grid::q q, cplx sum) { return sum; }
};
// CHECK:{{.*}}fail_lambda.cpp:8:17: error: lambdas are not in the language: write a static function of the kernel [facet-lambda]
// CHECK-NEXT:    8 |     auto half = [](real x) { return x / 2; };
// CHECK-NEXT:      |                 ^
// CHECK-NEXT:1 error generated.
