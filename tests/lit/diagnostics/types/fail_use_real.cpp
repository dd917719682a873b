// float and double fix a precision.
// RUN: not facetc %s --emit=ir -o %t.fir 2>&1 | FileCheck %s --match-full-lines --strict-whitespace
#include <facet/dsl.h>
using namespace facet;
struct FACET_KERNEL k {
  using Grid = product<real, real, cplx>;
  static double half(float x) { return x / 2; }
  static cplx term(Grid::q q, const Triangle &t) {
    const double w = half(t.area);
    return w;
  }
  static cplx finish(Grid::q q, cplx sum) { return sum; }
};
// CHECK:{{.*}}fail_use_real.cpp:9:11: error: 'double' is written for a real number: write 'real' [facet-use-real]
// CHECK-NEXT:    9 |     const double w = half(t.area);
// CHECK-NEXT:      |           ^~~~~~
// CHECK-NEXT:      |           real
// CHECK-NEXT:note: facet chooses the precision: f32, f64, or long double in its own tests
// CHECK-NEXT:{{.*}}fail_use_real.cpp:7:22: error: 'float' is written for a real number: write 'real' [facet-use-real]
// CHECK-NEXT:    7 |   static double half(float x) { return x / 2; }
// CHECK-NEXT:      |                      ^~~~~
// CHECK-NEXT:      |                      real
// CHECK-NEXT:note: facet chooses the precision: f32, f64, or long double in its own tests
// CHECK-NEXT:{{.*}}fail_use_real.cpp:7:10: error: 'double' is written for a real number: write 'real' [facet-use-real]
// CHECK-NEXT:    7 |   static double half(float x) { return x / 2; }
// CHECK-NEXT:      |          ^~~~~~
// CHECK-NEXT:      |          real
// CHECK-NEXT:note: facet chooses the precision: f32, f64, or long double in its own tests
// CHECK-NEXT:3 errors generated.
