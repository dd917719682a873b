// Sums and products beyond int, of constants and of choices.
// RUN: not facetc %s --emit=ir -o %t.fir 2>&1 | FileCheck %s --match-full-lines --strict-whitespace
#include <facet/dsl.h>
using namespace facet;
struct FACET_KERNEL k {
  using Grid = product<real, real, cplx>;
  static constexpr int n = 50000;
  static cplx term(Grid::q q, const Triangle &t) {
    return 1000000 * 1000000 * t.area + (n * n - 1) - (-2147483647 - 2);
  }
  static real origin(const Triangle &t) { return (t.area > 1 ? 100000 : 2) * (t.area > 2 ? -3 : n); }
  static cplx finish(Grid::q q, cplx sum) { return sum; }
};
// CHECK:{{.*}}fail_integer_overflow.cpp:9:20: error: '1000000 * 1000000' is beyond the integers of C++: write 1000000.0 for its first number [facet-integer-overflow]
// CHECK-NEXT:    9 |     return 1000000 * 1000000 * t.area + (n * n - 1) - (-2147483647 - 2);
// CHECK-NEXT:      |            ~~~~~~~~^~~~~~~~~
// CHECK-NEXT:      |            1000000.0
// CHECK-NEXT:note: an int ends at 2147483647; real numbers do not
// CHECK-NEXT:{{.*}}fail_integer_overflow.cpp:9:44: error: 'n * n' is beyond the integers of C++: write real(n) for its first number [facet-integer-overflow]
// CHECK-NEXT:    9 |     return 1000000 * 1000000 * t.area + (n * n - 1) - (-2147483647 - 2);
// CHECK-NEXT:      |                                          ~~^~~
// CHECK-NEXT:      |                                          real(n)
// CHECK-NEXT:note: an int ends at 2147483647; real numbers do not
// CHECK-NEXT:{{.*}}fail_integer_overflow.cpp:9:68: error: '-2147483647 - 2' is beyond the integers of C++: write real(-2147483647) for its first number [facet-integer-overflow]
// CHECK-NEXT:    9 |     return 1000000 * 1000000 * t.area + (n * n - 1) - (-2147483647 - 2);
// CHECK-NEXT:      |                                                        ~~~~~~~~~~~~^~~
// CHECK-NEXT:      |                                                        real(-2147483647)
// CHECK-NEXT:note: an int ends at 2147483647; real numbers do not
// CHECK-NEXT:{{.*}}fail_integer_overflow.cpp:11:76: error: '(t.area > 1 ? 100000 : 2) * (t.area > 2 ? -3 : n)' is beyond the integers of C++: write real(t.area > 1 ? 100000 : 2) for its first number [facet-integer-overflow]
// CHECK-NEXT:   11 |   static real origin(const Triangle &t) { return (t.area > 1 ? 100000 : 2) * (t.area > 2 ? -3 : n); }
// CHECK-NEXT:      |                                                  ~~~~~~~~~~~~~~~~~~~~~~~~~~^~~~~~~~~~~~~~~~~~~~~~~
// CHECK-NEXT:      |                                                  real(t.area > 1 ? 100000 : 2)
// CHECK-NEXT:note: an int ends at 2147483647; real numbers do not
// CHECK-NEXT:4 errors generated.
