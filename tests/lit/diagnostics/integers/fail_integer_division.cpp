// 1 / 3 is 0 in C++, in a term as in a constant, a default or a function that is not called.
// RUN: not facetc %s --emit=ir -o %t.fir 2>&1 | FileCheck %s --match-full-lines --strict-whitespace
#include <facet/dsl.h>
using namespace facet;
constexpr real seventh = 1 / 7;
template <class T> constexpr T half(T x) { return x / 2; } // its instance of int
constexpr real part(int a, int b) { return a / b; }
struct FACET_KERNEL k {
  using Grid = product<real, real, cplx>;
  static cplx term(Grid::q q, const Triangle &t) {
    return 1 / 3 * t.area;
  }
  static constexpr int n = 3;
  static constexpr real third = 1 / 3;
  static constexpr cplx index{1, 3 / n};
  static real weighted(real x, real by = 5 / 2) { return by * x; }
  static constexpr real three = half(7);
  static real origin(const Triangle &t) { return (n + 1) / 2 * t.area; }
  static cplx finish(Grid::q q, cplx sum) { return sum; }
};
// CHECK:{{.*}}fail_integer_division.cpp:5:28: error: '1 / 7' divides integers, which drops the fraction: write '1.0 / 7' [facet-integer-division]
// CHECK-NEXT:    5 | constexpr real seventh = 1 / 7;
// CHECK-NEXT:      |                          ~~^~~
// CHECK-NEXT:      |                          1.0
// CHECK-NEXT:{{.*}}fail_integer_division.cpp:6:53: error: 'x / 2' divides integers, which drops the fraction: write 'real(x) / 2' [facet-integer-division]
// CHECK-NEXT:    6 | template <class T> constexpr T half(T x) { return x / 2; } // its instance of int
// CHECK-NEXT:      |                                                   ~~^~~
// CHECK-NEXT:      |                                                   real(x)
// CHECK-NEXT:{{.*}}fail_integer_division.cpp:7:46: error: 'a / b' divides integers, which drops the fraction: write 'real(a) / b' [facet-integer-division]
// CHECK-NEXT:    7 | constexpr real part(int a, int b) { return a / b; }
// CHECK-NEXT:      |                                            ~~^~~
// CHECK-NEXT:      |                                            real(a)
// CHECK-NEXT:{{.*}}fail_integer_division.cpp:11:14: error: '1 / 3' divides integers, which drops the fraction: write '1.0 / 3' [facet-integer-division]
// CHECK-NEXT:   11 |     return 1 / 3 * t.area;
// CHECK-NEXT:      |            ~~^~~
// CHECK-NEXT:      |            1.0
// CHECK-NEXT:{{.*}}fail_integer_division.cpp:14:35: error: '1 / 3' divides integers, which drops the fraction: write '1.0 / 3' [facet-integer-division]
// CHECK-NEXT:   14 |   static constexpr real third = 1 / 3;
// CHECK-NEXT:      |                                 ~~^~~
// CHECK-NEXT:      |                                 1.0
// CHECK-NEXT:{{.*}}fail_integer_division.cpp:15:36: error: '3 / n' divides integers, which drops the fraction: write '3.0 / n' [facet-integer-division]
// CHECK-NEXT:   15 |   static constexpr cplx index{1, 3 / n};
// CHECK-NEXT:      |                                  ~~^~~
// CHECK-NEXT:      |                                  3.0
// CHECK-NEXT:{{.*}}fail_integer_division.cpp:16:44: error: '5 / 2' divides integers, which drops the fraction: write '5.0 / 2' [facet-integer-division]
// CHECK-NEXT:   16 |   static real weighted(real x, real by = 5 / 2) { return by * x; }
// CHECK-NEXT:      |                                          ~~^~~
// CHECK-NEXT:      |                                          5.0
// CHECK-NEXT:{{.*}}fail_integer_division.cpp:18:58: error: '(n + 1) / 2' divides integers, which drops the fraction: write 'real(n + 1) / 2' [facet-integer-division]
// CHECK-NEXT:   18 |   static real origin(const Triangle &t) { return (n + 1) / 2 * t.area; }
// CHECK-NEXT:      |                                                  ~~~~~~~~^~~
// CHECK-NEXT:      |                                                  real(n + 1)
// CHECK-NEXT:8 errors generated.
