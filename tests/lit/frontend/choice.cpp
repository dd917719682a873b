// ?: and select, comparisons in both directions, and logic.
// RUN: facetc %s --emit=ir | FileCheck %s
#include <facet/dsl.h>
using namespace facet;

struct FACET_KERNEL k {
  using Grid = product<>;
  static cplx term(Grid::q q, const Triangle &t) {
    const bool small = t.area < 1 || t.area >= 5;
    return small ? cplx(t.area) : t.area > q.x ? i : select(q.y != 0, 1, t.area);
  }
  static cplx finish(Grid::q q, cplx sum) { return q.x == 0 && !(q.y <= 1) ? 2 * sum : sum; }
};
// CHECK:      sum t {
// CHECK-NEXT:   %1 = less t.area, 1 : bool [t]
// CHECK-NEXT:   %2 = less_equal 5, t.area : bool [t]
// CHECK-NEXT:   %3 = or %1, %2 : bool [t]
// CHECK-NEXT:   %4 = less q.x, t.area : bool [x t]
// CHECK-NEXT:   %5 = equal q.y, 0 : bool [y]
// CHECK-NEXT:   %6 = not %5 : bool [y]
// CHECK-NEXT:   %7 = select %6, 1, t.area : real [y t]
// CHECK-NEXT:   %8 = select %4, i, %7 : cplx [x y t]
// CHECK-NEXT:   %9 = select %3, t.area, %8 : cplx [x y t]
// CHECK:      finish {
// CHECK-NEXT:   %1 = equal q.x, 0 : bool [x]
// CHECK-NEXT:   %2 = less_equal q.y, 1 : bool [y]
// CHECK-NEXT:   %3 = not %2 : bool [y]
// CHECK-NEXT:   %4 = and %1, %3 : bool [x y]
