// Values are assigned once.
// RUN: not facetc %s --emit=ir -o %t.fir 2>&1 | FileCheck %s --match-full-lines --strict-whitespace
#include <facet/dsl.h>
using namespace facet;
struct FACET_KERNEL k {
  using Grid = product<real, real, cplx>;
  static cplx term(Grid::q q, const Triangle &t) {
    real w = t.area;
    w = 2 * w;
    w += 1;
    ++w;
    cplx z = w;
    z = z + i;
    z += 1;
    return w;
  }
  static cplx finish(Grid::q q, cplx sum) { return sum; }
};
// CHECK:{{.*}}fail_assignment.cpp:14:7: error: '+=' changes 'z': give the new value a name of its own, real z2 = ...; [facet-assignment]
// CHECK-NEXT:   14 |     z += 1;
// CHECK-NEXT:      |     ~ ^
// CHECK-NEXT:note: values are assigned once, which is what lets facet move them out of loops
// CHECK-NEXT:{{.*}}fail_assignment.cpp:9:7: error: '=' changes 'w': give the new value a name of its own, real w2 = ...; [facet-assignment]
// CHECK-NEXT:    9 |     w = 2 * w;
// CHECK-NEXT:      |     ~~^~~~~~~
// CHECK-NEXT:note: values are assigned once, which is what lets facet move them out of loops
// CHECK-NEXT:{{.*}}fail_assignment.cpp:10:7: error: '+=' changes 'w': give the new value a name of its own, real w2 = ...; [facet-assignment]
// CHECK-NEXT:   10 |     w += 1;
// CHECK-NEXT:      |     ~~^~~~
// CHECK-NEXT:note: values are assigned once, which is what lets facet move them out of loops
// CHECK-NEXT:{{.*}}fail_assignment.cpp:11:5: error: '++' changes 'w': give the new value a name of its own, real w2 = ...; [facet-assignment]
// CHECK-NEXT:   11 |     ++w;
// CHECK-NEXT:      |     ^~~
// CHECK-NEXT:note: values are assigned once, which is what lets facet move them out of loops
// CHECK-NEXT:{{.*}}fail_assignment.cpp:13:7: error: '=' changes 'z': give the new value a name of its own, real z2 = ...; [facet-assignment]
// CHECK-NEXT:   13 |     z = z + i;
// CHECK-NEXT:      |     ~~^~~~~~~
// CHECK-NEXT:note: values are assigned once, which is what lets facet move them out of loops
// CHECK-NEXT:5 errors generated.
