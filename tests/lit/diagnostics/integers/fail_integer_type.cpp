// Integers that wrap or are cut.
// RUN: not facetc %s --emit=ir -o %t.fir 2>&1 | FileCheck %s --match-full-lines --strict-whitespace
#include <facet/dsl.h>
using namespace facet;
constexpr unsigned count = 3;
constexpr short few(int n) { return n; }
struct FACET_KERNEL k {
  using Grid = product<fixed<4>, real, cplx>;
  static constexpr char letter = 70;
  static constexpr real minus = count - 5;
  template <long N> static real times(real x) { return N * x; }
  static cplx term(Grid::q q, const Triangle &t) { return times<3>(t.area) + minus; }
  static cplx finish(Grid::q q, cplx sum) { return sum; }
};
// CHECK:{{.*}}fail_integer_type.cpp:5:20: error: 'count' has type 'unsigned int': write real, or int [facet-integer-type]
// CHECK-NEXT:    5 | constexpr unsigned count = 3;
// CHECK-NEXT:      |                    ^
// CHECK-NEXT:note: unsigned numbers wrap and short ones are cut; real numbers do neither
// CHECK-NEXT:{{.*}}fail_integer_type.cpp:6:17: error: 'few' has type 'short': write real, or int [facet-integer-type]
// CHECK-NEXT:    6 | constexpr short few(int n) { return n; }
// CHECK-NEXT:      |                 ^
// CHECK-NEXT:note: unsigned numbers wrap and short ones are cut; real numbers do neither
// CHECK-NEXT:{{.*}}fail_integer_type.cpp:9:25: error: 'letter' has type 'char': write real, or int [facet-integer-type]
// CHECK-NEXT:    9 |   static constexpr char letter = 70;
// CHECK-NEXT:      |                         ^
// CHECK-NEXT:note: unsigned numbers wrap and short ones are cut; real numbers do neither
// CHECK-NEXT:{{.*}}fail_integer_type.cpp:11:18: error: 'N' has type 'long': write real, or int [facet-integer-type]
// CHECK-NEXT:   11 |   template <long N> static real times(real x) { return N * x; }
// CHECK-NEXT:      |                  ^
// CHECK-NEXT:note: unsigned numbers wrap and short ones are cut; real numbers do neither
// CHECK-NEXT:4 errors generated.
