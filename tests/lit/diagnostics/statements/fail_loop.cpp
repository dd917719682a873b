// Loops of each kind.
// RUN: not facetc %s --emit=ir -o %t.fir 2>&1 | FileCheck %s --match-full-lines --strict-whitespace
#include <facet/dsl.h>
using namespace facet;
struct FACET_KERNEL k {
  using Grid = product<real, real, cplx>;
  static cplx term(Grid::q q, const Triangle &t) {
    real sum = 0;
    for (int n = 0; n < 3; n = n + 1)
      sum = sum + 1;
    while (sum > 1)
      sum = 0;
    do
      sum = 1;
    while (sum < 1);
    return t.area;
  }
  static cplx finish(Grid::q q, cplx sum) { return sum; }
};
// CHECK:{{.*}}fail_loop.cpp:9:5: error: 'for' loops are not in the language: write the sum out, or make it part of the sum over records [facet-loop]
// CHECK-NEXT:    9 |     for (int n = 0; n < 3; n = n + 1)
// CHECK-NEXT:      |     ^
// CHECK-NEXT:note: facet makes the loops over q and records itself, and tunes them
// CHECK-NEXT:{{.*}}fail_loop.cpp:11:5: error: 'while' loops are not in the language: write the sum out, or make it part of the sum over records [facet-loop]
// CHECK-NEXT:   11 |     while (sum > 1)
// CHECK-NEXT:      |     ^
// CHECK-NEXT:note: facet makes the loops over q and records itself, and tunes them
// CHECK-NEXT:{{.*}}fail_loop.cpp:13:5: error: 'do' loops are not in the language: write the sum out, or make it part of the sum over records [facet-loop]
// CHECK-NEXT:   13 |     do
// CHECK-NEXT:      |     ^
// CHECK-NEXT:note: facet makes the loops over q and records itself, and tunes them
// CHECK-NEXT:3 errors generated.
