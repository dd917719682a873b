// new and delete.
// RUN: not facetc %s --emit=ir -o %t.fir 2>&1 | FileCheck %s --match-full-lines --strict-whitespace
#include <facet/dsl.h>
using namespace facet;
struct FACET_KERNEL k {
  using Grid = product<real, real, cplx>;
  static cplx term(Grid::q q, const Triangle &t) {
    delete new real(1);
    return *new real(1) * t.area;
  }
  static cplx finish(Grid::q q, cplx sum) { return sum; }
};
// CHECK:{{.*}}fail_allocation.cpp:8:5: error: 'delete' is not in the language: a kernel has no memory of its own [facet-allocation]
// CHECK-NEXT:    8 |     delete new real(1);
// CHECK-NEXT:      |     ^~~~~~~~~~~~~~~~~~
// CHECK-NEXT:{{.*}}fail_allocation.cpp:9:13: error: 'new' is not in the language: a kernel has no memory of its own [facet-allocation]
// CHECK-NEXT:    9 |     return *new real(1) * t.area;
// CHECK-NEXT:      |             ^~~~~~~~~~~
// CHECK-NEXT:2 errors generated.
