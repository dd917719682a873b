// What expressions and functions become, a kernel each.
// RUN: facetc %s --kernel=choice | FileCheck %s --check-prefix=CHOICE
// RUN: facetc %s --kernel=complex_numbers | FileCheck %s --check-prefix=COMPLEX
// RUN: facetc %s --kernel=constants | FileCheck %s --check-prefix=CONSTANTS
// RUN: facetc %s --kernel=inlining | FileCheck %s --check-prefix=INLINING
// RUN: facetc %s --kernel=mean | FileCheck %s --check-prefix=MEAN
// RUN: facetc %s --kernel=params | FileCheck %s --check-prefix=PARAMS
#include <facet/dsl.h>
using namespace facet;

// ?: and select, comparisons in both directions, and logic.
struct FACET_KERNEL choice {
  using Grid = product<>;
  static cplx term(Grid::q q, const Triangle &t) {
    const bool small = t.area < 1 || t.area >= 5;
    return small ? cplx(t.area) : t.area > q.x ? i : select(q.y != 0, 1, t.area);
  }
  static cplx finish(Grid::q q, cplx sum) { return q.x == 0 && !(q.y <= 1) ? 2 * sum : sum; }
};
// CHOICE:      sum t {
// CHOICE-NEXT:   %1 = less t.area, 1 : bool [t]
// CHOICE-NEXT:   %2 = less_equal 5, t.area : bool [t]
// CHOICE-NEXT:   %3 = or %1, %2 : bool [t]
// CHOICE-NEXT:   %4 = less q.x, t.area : bool [x t]
// CHOICE-NEXT:   %5 = equal q.y, 0 : bool [y]
// CHOICE-NEXT:   %6 = not %5 : bool [y]
// CHOICE-NEXT:   %7 = select %6, 1, t.area : real [y t]
// CHOICE-NEXT:   %8 = select %4, i, %7 : cplx [x y t]
// CHOICE-NEXT:   %9 = select %3, t.area, %8 : cplx [x y t]
// CHOICE:      finish {
// CHOICE-NEXT:   %1 = equal q.x, 0 : bool [x]
// CHOICE-NEXT:   %2 = less_equal q.y, 1 : bool [y]
// CHOICE-NEXT:   %3 = not %2 : bool [y]
// CHOICE-NEXT:   %4 = and %1, %3 : bool [x y]

// Reals where complex numbers are asked for are taken as they are, except under a root, where
// negative numbers have one; parts of numbers and of vectors.
struct FACET_KERNEL complex_numbers {
  using Grid = product<real, real, cplx>;
  static cplx term(Grid::q q, const Triangle &t) {
    const cplx promoted = t.area;
    const vec3 damping = im(q);
    return sqrt(promoted) + sqrt(t.area) + q.z.re + re(q.z) + cplx(1, 2) + damping.z;
  }
  static cplx finish(Grid::q q, cplx sum) { return conj(sum) * norm2(sum) + norm2(q.x) + conj(q.y) + im(q.x); }
};
// COMPLEX:      sum t {
// COMPLEX-NEXT:   %1 = component.x q : cplx [x y z]
// COMPLEX-NEXT:   %2 = im %1 : real [x y z]
// COMPLEX:        vec %2,
// COMPLEX:        csqrt t.area : cplx [t]
// COMPLEX-NEXT:   sqrt t.area : real [t]
// COMPLEX:        re q.z : real [z]
// COMPLEX:        complex 1, 2 : cplx []
// COMPLEX:        component.z %{{[0-9]+}} : real
// COMPLEX:      finish {
// COMPLEX-NEXT:   %1 = conj sum : cplx [x y z]
// COMPLEX-NEXT:   %2 = norm2 sum : real [x y z]
// COMPLEX-NEXT:   %3 = mul %1, %2 : cplx [x y z]
// COMPLEX-NEXT:   %4 = norm2 q.x : real [x]
// COMPLEX-NEXT:   %5 = add %3, %4 : cplx [x y z]
// COMPLEX-NEXT:   %6 = add %5, q.y : cplx [x y z]
// COMPLEX-NEXT:   %7 = add %6, 0 : cplx [x y z]

// Constants are folded: of the kernel, of the file, of facet; integers become reals.
constexpr real wavelength = 0.124;

struct FACET_KERNEL constants {
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
// CONSTANTS:      sum t {
// CONSTANTS-NEXT:   %1 = mul 0.5, 50.67084925144{{[0-9]+}} : real []
// CONSTANTS-NEXT:   %2 = complex 0.75, 0.25 : cplx []
// CONSTANTS-NEXT:   %3 = mul %1, %2 : cplx []
// CONSTANTS-NEXT:   %4 = vec 0, 0, -1 : vec3 []
// CONSTANTS-NEXT:   %5 = dot %4, t.normal : real [t]
// CONSTANTS-NEXT:   %6 = mul %3, %5 : cplx [t]
// CONSTANTS:      finish {
// CONSTANTS-NEXT:   %1 = mul -10, sum : cplx [x y z]
// CONSTANTS:      origin t {
// CONSTANTS-NEXT:   %1 = less_equal 0, 0 : bool []
// CONSTANTS-NEXT:   %2 = less 0, 0 : bool []
// CONSTANTS-NEXT:   %3 = not %2 : bool []
// CONSTANTS-NEXT:   %4 = and %1, %3 : bool []
// CONSTANTS-NEXT:   %5 = select %4, t.area, 0.001 : real [t]

// Functions of the kernel are inlined wherever they stand, with their locals and default arguments;
// templates are their instances.
struct FACET_KERNEL inlining {
  using Grid = product<real, real, cplx>;
  static cplx term(Grid::q q, const Triangle &t) {
    const auto weight = flux(q, t);
    return scaled(weight) * twice(phase(q, t.centroid));
  }
  static cplx finish(Grid::q q, cplx sum) { return twice(sum); }
  static cplx flux(Grid::q q, const Triangle &t) {
    const cvec3 c = conj(q);
    return t.area * dot(c, t.normal);
  }
  static cplx phase(cvec3 q, vec3 at) { return cis(dot(q, at)); }
  static cplx scaled(cplx w, real by = 0.5) { return by * w; }
  template <class T> static T twice(T x) { return 2 * x; }
  static real unused(real x) { return x; }
};
// INLINING:      sum t {
// INLINING-NEXT:   %1 = conj q : cvec3 [x y z]
// INLINING-NEXT:   %2 = dot %1, t.normal : cplx [x y z t]
// INLINING-NEXT:   %3 = mul t.area, %2 : cplx [x y z t]
// INLINING-NEXT:   %4 = mul 0.5, %3 : cplx [x y z t]
// INLINING-NEXT:   %5 = dot q, t.centroid : cplx [x y z t]
// INLINING-NEXT:   %6 = cis %5 : cplx [x y z t]
// INLINING-NEXT:   %7 = mul 2, %6 : cplx [x y z t]
// INLINING-NEXT:   %8 = mul %4, %7 : cplx [x y z t]
// INLINING-NEXT:   yield %8
// INLINING:      finish {
// INLINING-NEXT:   %1 = mul 2, sum : cplx [x y z]

// mean_cis of q and a triangle is that of the phases of its corners; phases may also be given.
struct FACET_KERNEL mean {
  using Grid = product<>;
  static cplx term(Grid::q q, const Triangle &t) {
    return mean_cis(q, t) + mean_cism1(dot(q, t.vertex1), 0, q.x);
  }
  static cplx finish(Grid::q q, cplx sum) { return sum; }
};
// MEAN: triangle { vertex0: vec3, vertex1: vec3, vertex2: vec3 }
// MEAN: %1 = dot q, t.vertex0 : real [x y z t]
// MEAN: %2 = dot q, t.vertex1 : real [x y z t]
// MEAN: %3 = dot q, t.vertex2 : real [x y z t]
// MEAN: %4 = mean_cis %1, %2, %3 : cplx [x y z t]
// MEAN: %5 = dot q, t.vertex1 : real [x y z t]
// MEAN: %6 = mean_cism1 %5, 0, q.x : cplx [x y z t]

// Run-time parameters: all are listed, in order, with types and defaults; each function may take
// them. A complex number or a vector is made of the real numbers that a run is given.
struct FACET_KERNEL params {
  using Grid = product<>;
  static constexpr real half = 0.5;
  static real twice(real a) { return 2 * a; }
  struct Params {
    real kappa, sigma = twice(half);
    real scale{3};
    cplx n = 1 - half * i, one = 1;
    vec3 m = {0, 0, -1.5}, up = vec3(0, 0, 1) / 4;
    cvec3 e = up0 * i, none;
  };
  static constexpr vec3 up0{0, 1, 0};
  static cplx term(Grid::q q, const Triangle &t, const Params &p) {
    return p.kappa * p.n * t.area * dot(p.m, t.normal) * cis(dot(q, t.centroid));
  }
  static cplx finish(Grid::q q, cplx sum, Params p) {
    return exp(-p.sigma * norm2(q)) * sum * p.e.y + p.one + p.up.x + p.none.z;
  }
  static real origin(const Triangle &t, Params p) { return scaled(t, p); }
  static real scaled(const Triangle &t, const Params &p) { return p.scale * t.area; }
};
// PARAMS: params { kappa, sigma = 1, scale = 3, n: cplx = 1 -0.5, one: cplx = 1 0, m: vec3 = 0 0 -1.5, up: vec3 = 0 0 0.25, e: cvec3 = 0 0 0 1 0 0, none: cvec3 }
// PARAMS: %1 = complex p.n.re, p.n.im : cplx []
// PARAMS: %2 = mul p.kappa, %1 : cplx []
// PARAMS: %4 = vec p.m.x, p.m.y, p.m.z : vec3 []
// PARAMS: finish
// PARAMS: neg p.sigma : real []
// PARAMS: origin t
// PARAMS: mul p.scale, t.area : real [t]
