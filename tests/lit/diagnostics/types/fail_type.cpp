// Types from outside the language.
// RUN: not facetc %s --emit=ir -o %t.fir 2>&1 | FileCheck %s --match-full-lines --strict-whitespace
#include <facet/dsl.h>
using namespace facet;
struct pair { real a, b; };
struct FACET_KERNEL k {
  using Grid = product<real, real, cplx>;
  static int count(real x) { return 1; }
  static cplx term(Grid::q q, const Triangle &t) {
    int n = 2;
    pair p = {1, 2};
    return t.area * count(t.area);
  }
  static cplx finish(Grid::q q, cplx sum) { return sum; }
};
// CHECK:{{.*}}fail_type.cpp:10:9: error: 'n' has type 'int': write real, cplx, vec3, cvec3 or bool [facet-type]
// CHECK-NEXT:   10 |     int n = 2;
// CHECK-NEXT:      |         ^
// CHECK-NEXT:{{.*}}fail_type.cpp:11:10: error: 'p' has type 'pair': write real, cplx, vec3, cvec3 or bool [facet-type]
// CHECK-NEXT:   11 |     pair p = {1, 2};
// CHECK-NEXT:      |          ^
// CHECK-NEXT:{{.*}}fail_type.cpp:8:10: error: 'count' has type 'int': write real, cplx, vec3, cvec3 or bool [facet-type]
// CHECK-NEXT:    8 |   static int count(real x) { return 1; }
// CHECK-NEXT:      |          ^~~
// CHECK-NEXT:3 errors generated.
