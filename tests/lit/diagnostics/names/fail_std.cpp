// Names of the standard library that facet has.
// RUN: not facetc %s --emit=ir -o %t.fir 2>&1 | FileCheck %s --match-full-lines --strict-whitespace
#include <facet/dsl.h>
using namespace facet;
struct FACET_KERNEL k {
  using Grid = product<real, real, cplx>;
  static cplx term(Grid::q q, const Triangle &t) {
    return std::sin(t.area) + std::norm(i) + std::complex<double>(t.area, 0);
  }
  static cplx finish(Grid::q q, cplx sum) { return sum; }
};
// CHECK:{{.*}}fail_std.cpp:8:12: error: 'std::sin' is not in the language: write 'sin' [facet-std]
// CHECK-NEXT:    8 |     return std::sin(t.area) + std::norm(i) + std::complex<double>(t.area, 0);
// CHECK-NEXT:      |            ^~~~~~~~
// CHECK-NEXT:      |            sin
// CHECK-NEXT:note: kernels see no standard library; its names are in facet's own vocabulary
// CHECK-NEXT:{{.*}}fail_std.cpp:8:31: error: 'std::norm' is not in the language: write 'norm2' [facet-std]
// CHECK-NEXT:    8 |     return std::sin(t.area) + std::norm(i) + std::complex<double>(t.area, 0);
// CHECK-NEXT:      |                               ^~~~~~~~~
// CHECK-NEXT:      |                               norm2
// CHECK-NEXT:note: kernels see no standard library; its names are in facet's own vocabulary
// CHECK-NEXT:{{.*}}fail_std.cpp:8:46: error: 'std::complex' is not in the language: write 'cplx' [facet-std]
// CHECK-NEXT:    8 |     return std::sin(t.area) + std::norm(i) + std::complex<double>(t.area, 0);
// CHECK-NEXT:      |                                              ^~~~~~~~~~~~~~~~~~~~
// CHECK-NEXT:      |                                              cplx
// CHECK-NEXT:note: kernels see no standard library; its names are in facet's own vocabulary
// CHECK-NEXT:3 errors generated.
