// Literals of other types than int.
// RUN: not facetc %s --emit=ir -o %t.fir 2>&1 | FileCheck %s --match-full-lines --strict-whitespace
#include <facet/dsl.h>
using namespace facet;
struct FACET_KERNEL k {
  using Grid = product<real, real, cplx>;
  static constexpr real avogadro = 602214076000000000000000.0; // this is allowed
  static constexpr real large = 10000000000;
  static cplx term(Grid::q q, const Triangle &t) { return (3u - 5u) * t.area + 2147483648 - 1L; }
  static cplx finish(Grid::q q, cplx sum) { return sum; }
};
// CHECK:{{.*}}fail_integer_literal.cpp:8:33: error: '10000000000' is no int: write it with a decimal point [facet-integer-literal]
// CHECK-NEXT:    8 |   static constexpr real large = 10000000000;
// CHECK-NEXT:      |                                 ^~~~~~~~~~~
// CHECK-NEXT:note: an int ends at 2147483647, unsigned numbers wrap, and sums of both are neither; real numbers do none of this
// CHECK-NEXT:{{.*}}fail_integer_literal.cpp:9:60: error: '3u' is no int: write it with a decimal point [facet-integer-literal]
// CHECK-NEXT:    9 |   static cplx term(Grid::q q, const Triangle &t) { return (3u - 5u) * t.area + 2147483648 - 1L; }
// CHECK-NEXT:      |                                                            ^~
// CHECK-NEXT:note: an int ends at 2147483647, unsigned numbers wrap, and sums of both are neither; real numbers do none of this
// CHECK-NEXT:{{.*}}fail_integer_literal.cpp:9:65: error: '5u' is no int: write it with a decimal point [facet-integer-literal]
// CHECK-NEXT:    9 |   static cplx term(Grid::q q, const Triangle &t) { return (3u - 5u) * t.area + 2147483648 - 1L; }
// CHECK-NEXT:      |                                                                 ^~
// CHECK-NEXT:note: an int ends at 2147483647, unsigned numbers wrap, and sums of both are neither; real numbers do none of this
// CHECK-NEXT:{{.*}}fail_integer_literal.cpp:9:80: error: '2147483648' is no int: write it with a decimal point [facet-integer-literal]
// CHECK-NEXT:    9 |   static cplx term(Grid::q q, const Triangle &t) { return (3u - 5u) * t.area + 2147483648 - 1L; }
// CHECK-NEXT:      |                                                                                ^~~~~~~~~~
// CHECK-NEXT:note: an int ends at 2147483647, unsigned numbers wrap, and sums of both are neither; real numbers do none of this
// CHECK-NEXT:{{.*}}fail_integer_literal.cpp:9:93: error: '1L' is no int: write it with a decimal point [facet-integer-literal]
// CHECK-NEXT:    9 |   static cplx term(Grid::q q, const Triangle &t) { return (3u - 5u) * t.area + 2147483648 - 1L; }
// CHECK-NEXT:      |                                                                                             ^~
// CHECK-NEXT:note: an int ends at 2147483647, unsigned numbers wrap, and sums of both are neither; real numbers do none of this
// CHECK-NEXT:5 errors generated.
