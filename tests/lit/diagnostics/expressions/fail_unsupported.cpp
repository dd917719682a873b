// What is left.
// RUN: not facetc %s --emit=ir -o %t.fir 2>&1 | FileCheck %s --match-full-lines --strict-whitespace
#include <facet/dsl.h>
using namespace facet;
struct FACET_KERNEL k {
  using Grid = product<real, real, cplx>;
  static cplx term(Grid::q q, const Triangle &t) {
    asm("nop");
    return sizeof(real) * t.area + (1, t.area) + (t.area > 1 ? t : t).area;
  }
  static cplx finish(Grid::q q, cplx sum) { return sum; }
};
// CHECK:{{.*}}fail_unsupported.cpp:8:5: error: 'asm' is not in the language [facet-unsupported]
// CHECK-NEXT:    8 |     asm("nop");
// CHECK-NEXT:      |     ^
// CHECK-NEXT:note: docs/language.md lists what is
// CHECK-NEXT:{{.*}}fail_unsupported.cpp:9:12: error: 'sizeof(real)' is not in the language [facet-unsupported]
// CHECK-NEXT:    9 |     return sizeof(real) * t.area + (1, t.area) + (t.area > 1 ? t : t).area;
// CHECK-NEXT:      |            ^~~~~~~~~~~~
// CHECK-NEXT:note: docs/language.md lists what is
// CHECK-NEXT:{{.*}}fail_unsupported.cpp:9:37: error: '1, t.area' is not in the language [facet-unsupported]
// CHECK-NEXT:    9 |     return sizeof(real) * t.area + (1, t.area) + (t.area > 1 ? t : t).area;
// CHECK-NEXT:      |                                     ^~~~~~~~~
// CHECK-NEXT:note: docs/language.md lists what is
// CHECK-NEXT:{{.*}}fail_unsupported.cpp:9:51: error: 't.area > 1 ? t : t' is not in the language [facet-unsupported]
// CHECK-NEXT:    9 |     return sizeof(real) * t.area + (1, t.area) + (t.area > 1 ? t : t).area;
// CHECK-NEXT:      |                                                   ^~~~~~~~~~~~~~~~~~
// CHECK-NEXT:note: docs/language.md lists what is
// CHECK-NEXT:4 errors generated.
