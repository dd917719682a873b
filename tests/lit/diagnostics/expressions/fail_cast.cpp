// Casts of each kind, and one that is allowed.
// RUN: not facetc %s --emit=ir -o %t.fir 2>&1 | FileCheck %s --match-full-lines --strict-whitespace
#include <facet/dsl.h>
using namespace facet;
struct FACET_KERNEL k {
  using Grid = product<real, real, cplx>;
  static cplx term(Grid::q q, const Triangle &t) {
    return (real)1 * static_cast<real>(t.area) * double(t.area) * int(t.area) * real(2);
  }
  static cplx finish(Grid::q q, cplx sum) { return sum; }
};
// CHECK:{{.*}}fail_cast.cpp:8:12: error: a cast is not in the language: remove it [facet-cast]
// CHECK-NEXT:    8 |     return (real)1 * static_cast<real>(t.area) * double(t.area) * int(t.area) * real(2);
// CHECK-NEXT:      |            ^~~~~~~
// CHECK-NEXT:      |            1
// CHECK-NEXT:note: facet chooses the precision, and a real number where a complex one is asked for is taken as it is
// CHECK-NEXT:{{.*}}fail_cast.cpp:8:22: error: a cast is not in the language: remove it [facet-cast]
// CHECK-NEXT:    8 |     return (real)1 * static_cast<real>(t.area) * double(t.area) * int(t.area) * real(2);
// CHECK-NEXT:      |                      ^~~~~~~~~~~~~~~~~~~~~~~~~
// CHECK-NEXT:      |                      t.area
// CHECK-NEXT:note: facet chooses the precision, and a real number where a complex one is asked for is taken as it is
// CHECK-NEXT:{{.*}}fail_cast.cpp:8:67: error: a cast is not in the language: remove it [facet-cast]
// CHECK-NEXT:    8 |     return (real)1 * static_cast<real>(t.area) * double(t.area) * int(t.area) * real(2);
// CHECK-NEXT:      |                                                                   ^~~~~~~~~~~
// CHECK-NEXT:      |                                                                   t.area
// CHECK-NEXT:note: facet chooses the precision, and a real number where a complex one is asked for is taken as it is
// CHECK-NEXT:{{.*}}fail_cast.cpp:8:50: error: 'double' is written for a real number: write 'real' [facet-use-real]
// CHECK-NEXT:    8 |     return (real)1 * static_cast<real>(t.area) * double(t.area) * int(t.area) * real(2);
// CHECK-NEXT:      |                                                  ^~~~~~
// CHECK-NEXT:      |                                                  real
// CHECK-NEXT:note: facet chooses the precision: f32, f64, or long double in its own tests
// CHECK-NEXT:4 errors generated.
