// A fraction dropped without a word.
// RUN: not facetc %s --emit=ir -o %t.fir 2>&1 | FileCheck %s --match-full-lines --strict-whitespace
#include <facet/dsl.h>
using namespace facet;
constexpr real taken(int n) { return n; }
struct FACET_KERNEL k {
  using Grid = product<real, real, cplx>;
  static constexpr int n = 5 * 0.5;
  static constexpr real half = taken(2.5);
  static cplx term(Grid::q q, const Triangle &t) { return n * half * t.area; }
  static cplx finish(Grid::q q, cplx sum) { return sum; }
};
// CHECK:{{.*}}fail_narrowing.cpp:8:30: error: '5 * 0.5' becomes an integer, which drops the fraction: write real for its type [facet-narrowing]
// CHECK-NEXT:    8 |   static constexpr int n = 5 * 0.5;
// CHECK-NEXT:      |                            ~~^~~~~
// CHECK-NEXT:{{.*}}fail_narrowing.cpp:9:38: error: '2.5' becomes an integer, which drops the fraction: write real for its type [facet-narrowing]
// CHECK-NEXT:    9 |   static constexpr real half = taken(2.5);
// CHECK-NEXT:      |                                      ^~~
// CHECK-NEXT:2 errors generated.
