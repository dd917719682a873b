// Powers: products, with a fix-it for squares and cubes of a name.
// RUN: not facetc %s --emit=ir -o %t.fir 2>&1 | FileCheck %s --match-full-lines --strict-whitespace
#include <facet/dsl.h>
using namespace facet;
struct FACET_KERNEL k {
  using Grid = product<real, real, cplx>;
  static cplx term(Grid::q q, const Triangle &t) {
    return pow(t.area, 2) + pow(t.area + 1, 3) + pow(t.area, 0.5) + std::pow(t.area, 2);
  }
  static cplx finish(Grid::q q, cplx sum) { return sum; }
};
// CHECK:{{.*}}fail_power.cpp:8:12: error: 'pow' is not in the language: write the product x * x, or exp(y * log x) with a column for log x [facet-power]
// CHECK-NEXT:    8 |     return pow(t.area, 2) + pow(t.area + 1, 3) + pow(t.area, 0.5) + std::pow(t.area, 2);
// CHECK-NEXT:      |            ^~~~~~~~~~~~~~
// CHECK-NEXT:      |            t.area * t.area
// CHECK-NEXT:note: powers by multiplication are exact and fast
// CHECK-NEXT:{{.*}}fail_power.cpp:8:29: error: 'pow' is not in the language: write the product x * x, or exp(y * log x) with a column for log x [facet-power]
// CHECK-NEXT:    8 |     return pow(t.area, 2) + pow(t.area + 1, 3) + pow(t.area, 0.5) + std::pow(t.area, 2);
// CHECK-NEXT:      |                             ^~~~~~~~~~~~~~~~~~
// CHECK-NEXT:      |                             (t.area + 1) * (t.area + 1) * (t.area + 1)
// CHECK-NEXT:note: powers by multiplication are exact and fast
// CHECK-NEXT:{{.*}}fail_power.cpp:8:50: error: 'pow' is not in the language: write the product x * x, or exp(y * log x) with a column for log x [facet-power]
// CHECK-NEXT:    8 |     return pow(t.area, 2) + pow(t.area + 1, 3) + pow(t.area, 0.5) + std::pow(t.area, 2);
// CHECK-NEXT:      |                                                  ^
// CHECK-NEXT:note: powers by multiplication are exact and fast
// CHECK-NEXT:{{.*}}fail_power.cpp:8:69: error: 'pow' is not in the language: write the product x * x, or exp(y * log x) with a column for log x [facet-power]
// CHECK-NEXT:    8 |     return pow(t.area, 2) + pow(t.area + 1, 3) + pow(t.area, 0.5) + std::pow(t.area, 2);
// CHECK-NEXT:      |                                                                     ^~~~~~~~
// CHECK-NEXT:note: powers by multiplication are exact and fast
// CHECK-NEXT:4 errors generated.
