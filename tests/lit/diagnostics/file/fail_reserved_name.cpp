// Attributes, builtins and macros of compilers.
// RUN: not facetc %s --emit=ir -o %t.fir 2>&1 | FileCheck %s --match-full-lines --strict-whitespace
#include <facet/dsl.h>
using namespace facet;
__attribute__((constructor)) static void first() {}
constexpr real far = __builtin_inf();
struct FACET_KERNEL k {
  using Grid = product<real, real, cplx>;
  static cplx term(Grid::q q, const Triangle &t) { return t.area * cis(dot(q, t.centroid)); }
  static cplx finish(Grid::q q, cplx sum) { return sum; }
};
// CHECK:{{.*}}fail_reserved_name.cpp:5:1: error: '__attribute__' is a name for compilers: remove it [facet-reserved-name]
// CHECK-NEXT:    5 | __attribute__((constructor)) static void first() {}
// CHECK-NEXT:      | ^
// CHECK-NEXT:note: names that begin with two underscores, or with one and a capital, are their attributes, builtins and macros; a kernel has none
// CHECK-NEXT:{{.*}}fail_reserved_name.cpp:6:22: error: '__builtin_inf' is a name for compilers: remove it [facet-reserved-name]
// CHECK-NEXT:    6 | constexpr real far = __builtin_inf();
// CHECK-NEXT:      |                      ^
// CHECK-NEXT:note: names that begin with two underscores, or with one and a capital, are their attributes, builtins and macros; a kernel has none
// CHECK-NEXT:2 errors generated.
