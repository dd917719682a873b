// Attributes of C++.
// RUN: not facetc %s --emit=ir -o %t.fir 2>&1 | FileCheck %s --match-full-lines --strict-whitespace
#include <facet/dsl.h>
using namespace facet;
struct alignas(64) Wide { real x; };
struct FACET_KERNEL k {
  using Grid = product<real, real, cplx>;
  [ [gnu::noinline] ] static real half(real x) { return x / 2; }
  static cplx term(Grid::q q, const Triangle &t) { return half(t.area) * cis(dot(q, t.centroid)); }
  static cplx finish(Grid::q q, cplx sum) { return sum; }
};
// CHECK:{{.*}}fail_attribute.cpp:5:8: error: 'alignas' is not in the language: remove it [facet-attribute]
// CHECK-NEXT:    5 | struct alignas(64) Wide { real x; };
// CHECK-NEXT:      |        ^
// CHECK-NEXT:note: the only attribute of a kernel file is FACET_KERNEL
// CHECK-NEXT:{{.*}}fail_attribute.cpp:8:6: error: 'gnu::noinline' is not in the language: remove it [facet-attribute]
// CHECK-NEXT:    8 |   [ [gnu::noinline] ] static real half(real x) { return x / 2; }
// CHECK-NEXT:      |      ^
// CHECK-NEXT:note: the only attribute of a kernel file is FACET_KERNEL
// CHECK-NEXT:2 errors generated.
