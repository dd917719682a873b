// Columns that a record does not have.
// RUN: not facetc %s --emit=ir -o %t.fir 2>&1 | FileCheck %s --match-full-lines --strict-whitespace
#include <facet/dsl.h>
using namespace facet;
struct Layered : Triangle { real contrast; };
struct FACET_KERNEL k {
  using Grid = product<real, real, cplx>;
  struct Params { real kappa; };
  static cplx term(Grid::q q, const Triangle &t) { return t.contrast * t.aera + t.normal.w; }
  static cplx finish(Grid::q q, cplx sum, Params p) { return sum * p.scale + sum.imag; }
};
struct FACET_KERNEL l {
  using Grid = product<real, real, cplx>;
  static cplx term(Grid::q q, const Layered &t) { return t.charge * cis(dot(q, t.centroid)); }
  static cplx finish(Grid::q q, cplx sum) { return sum; }
};
// CHECK:{{.*}}fail_column.cpp:9:61: error: Triangle has no 'contrast': take a record that has it, struct Mine : Triangle { real contrast; }, as const Mine &t [facet-column]
// CHECK-NEXT:    9 |   static cplx term(Grid::q q, const Triangle &t) { return t.contrast * t.aera + t.normal.w; }
// CHECK-NEXT:      |                                                           ~ ^
// CHECK-NEXT:{{.*}}fail_column.cpp:9:74: error: Triangle has no 'aera': write 'area' [facet-column]
// CHECK-NEXT:    9 |   static cplx term(Grid::q q, const Triangle &t) { return t.contrast * t.aera + t.normal.w; }
// CHECK-NEXT:      |                                                                        ~ ^
// CHECK-NEXT:{{.*}}fail_column.cpp:9:90: error: vec3 has no 'w': a vector has x, y and z [facet-column]
// CHECK-NEXT:    9 |   static cplx term(Grid::q q, const Triangle &t) { return t.contrast * t.aera + t.normal.w; }
// CHECK-NEXT:      |                                                                                 ~~~~~~~~ ^
// CHECK-NEXT:{{.*}}fail_column.cpp:10:70: error: Params has no 'scale': add 'real scale;' to it [facet-column]
// CHECK-NEXT:   10 |   static cplx finish(Grid::q q, cplx sum, Params p) { return sum * p.scale + sum.imag; }
// CHECK-NEXT:      |                                                                    ~ ^
// CHECK-NEXT:{{.*}}fail_column.cpp:10:82: error: cplx has no 'imag': write re(z) and im(z) [facet-column]
// CHECK-NEXT:   10 |   static cplx finish(Grid::q q, cplx sum, Params p) { return sum * p.scale + sum.imag; }
// CHECK-NEXT:      |                                                                              ~~~ ^
// CHECK-NEXT:{{.*}}fail_column.cpp:14:60: error: Layered has no 'charge': add 'real charge;' to it [facet-column]
// CHECK-NEXT:   14 |   static cplx term(Grid::q q, const Layered &t) { return t.charge * cis(dot(q, t.centroid)); }
// CHECK-NEXT:      |                                                          ~ ^
// CHECK-NEXT:6 errors generated.
