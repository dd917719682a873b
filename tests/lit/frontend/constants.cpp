// Constants are folded: of the kernel, of the file, of facet; integers become reals.
// RUN: facetc %s --emit=ir | FileCheck %s
#include <facet/dsl.h>
using namespace facet;

constexpr real wavelength = 0.124;

struct FACET_KERNEL k {
  using Grid = product<>;
  static constexpr real wavenumber = 2 * pi / wavelength;
  static constexpr cplx index{0.75, 0.25};
  static constexpr vec3 beam{0, 0, -1};
  static constexpr int n = 3;
  static constexpr bool sharp = true;
  static cplx term(Grid::q q, const Triangle &t) {
    constexpr real half = 0.5;
    return half * wavenumber * index * dot(beam, t.normal);
  }
  static cplx finish(Grid::q q, cplx sum) { return (2 * n - 1) * -2 * sum; }
  static real origin(const Triangle &t) { return sharp && !false ? t.area : 1e-3; }
};
// CHECK:      sum t {
// CHECK-NEXT:   %1 = mul 0.5, 50.67084925144{{[0-9]+}} : real []
// CHECK-NEXT:   %2 = complex 0.75, 0.25 : cplx []
// CHECK-NEXT:   %3 = mul %1, %2 : cplx []
// CHECK-NEXT:   %4 = vec 0, 0, -1 : vec3 []
// CHECK-NEXT:   %5 = dot %4, t.normal : real [t]
// CHECK-NEXT:   %6 = mul %3, %5 : cplx [t]
// CHECK:      finish {
// CHECK-NEXT:   %1 = mul -10, sum : cplx [x y z]
// CHECK:      origin t {
// CHECK-NEXT:   %1 = less_equal 0, 0 : bool []
// CHECK-NEXT:   %2 = less 0, 0 : bool []
// CHECK-NEXT:   %3 = not %2 : bool []
// CHECK-NEXT:   %4 = and %1, %3 : bool []
// CHECK-NEXT:   %5 = select %4, t.area, 0.001 : real [t]
