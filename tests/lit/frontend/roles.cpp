// What a pose does to a column: found from the phase, or said by the type; and the same read back.
// RUN: facetc %s --kernel=found | FileCheck %s --check-prefix=FOUND
// RUN: facetc %s --kernel=said | FileCheck %s --check-prefix=SAID
// RUN: facetc %s --kernel=unclear | FileCheck %s --check-prefix=UNCLEAR
// RUN: facetc %s --kernel=rods | FileCheck %s --check-prefix=RODS
// RUN: facetc %s --kernel=cells | FileCheck %s --check-prefix=CELLS
// RUN: facetc %s --kernel=damped | FileCheck %s --check-prefix=DAMPED
// RUN: facetc %s --kernel=halves | FileCheck %s --check-prefix=HALVES
// RUN: facetc %s --kernel=said -o %t.fir && facetc %t.fir -o %t2.fir && diff %t.fir %t2.fir
// RUN: facetc %s --kernel=unclear -o %t.fir && facetc %t.fir -o %t2.fir && diff %t.fir %t2.fir
// RUN: facetc %s --kernel=said --emit=manifest --class=f64 --q=real --targets=sse41 --algorithms=direct | FileCheck %s --check-prefix=MANIFEST
#include <facet/dsl.h>
using namespace facet;

struct Site : Triangle {
  vec3 moment, arm;
  real contrast;
};
struct FACET_KERNEL found {
  using Grid = product<>;
  static cplx term(Grid::q q, const Site &t) {
    return t.contrast * t.area * dot(t.moment, q) * cis(dot(q, t.centroid + t.arm));
  }
  static cplx finish(Grid::q, cplx sum) { return sum; }
};
// FOUND: triangle { area: real, centroid: vec3, moment: direction3, arm: offset3, contrast: real }

using Volume = scaled<3>;
struct Body {
  position3 at;
  vec3 arm;
  fixed3 field;
  offset3 axis;
  Volume volume;
  scaled<1> radius;
};
struct FACET_KERNEL said {
  using Grid = points<>;
  static cplx term(Grid::q q, const Body &t) {
    return t.volume * exp(-t.radius * t.radius * norm2(q)) * (dot(t.field, q) + dot(t.axis, q)) *
           cis(dot(q, t.at + t.arm));
  }
  static cplx finish(Grid::q, cplx sum) { return sum; }
};
// SAID: record { at: position3, arm: offset3, field: fixed3, axis: offset3, volume: scaled = 3, radius: scaled = 1 }

// MANIFEST: "field": {
// MANIFEST-NEXT: "turns": false,
// MANIFEST: "volume": {
// MANIFEST-NEXT: "turns": false,
// MANIFEST-NEXT: "power": 3,

struct Pair {
  vec3 a, b;
  real x;
};
struct FACET_KERNEL unclear {
  using Grid = product<>;
  static cplx term(Grid::q q, const Pair &t) { return cis(dot(q, t.a + t.b)) * cis(q.x * t.x); }
  static cplx finish(Grid::q, cplx sum) { return sum; }
};
// UNCLEAR: record { a: vec3, b: vec3, x: real }

// The half axis is in a phase of its own, and moving it is no phase of the whole.
struct Rod {
  vec3 half, middle, u;
};
struct FACET_KERNEL rods {
  using Grid = product<real, real, cplx>;
  static cplx term(Grid::q q, const Rod &t) {
    return exp(-dot(q, t.u) * dot(q, t.u)) * exp(i * dot(q, t.middle)) *
           (cis(dot(q, t.half)) - 2 * cis(dot(q, t.half / 2)));
  }
  static cplx finish(Grid::q, cplx sum) { return sum; }
};
// RODS: record { half: offset3, middle: position3, u: direction3 }

struct Cell {
  vec3 a, b, c;
};
struct FACET_KERNEL cells {
  using Grid = product<>;
  static cplx term(Grid::q q, const Cell &t) {
    return mean_cis(dot(q, t.a), q.x * t.b.x + q.y * t.b.y + q.z * t.b.z, dot(q, t.c)) +
           cis(dot(q, (t.a + t.b + t.c) / 3));
  }
  static cplx finish(Grid::q, cplx sum) { return sum; }
};
// CELLS: record { a: position3, b: position3, c: position3 }

// Where it stands matters: a position none the less.
struct Atom {
  vec3 place;
};
struct FACET_KERNEL damped {
  using Grid = product<>;
  struct Params {
    real kappa;
  };
  static cplx term(Grid::q q, const Atom &t, const Params &p) {
    return exp(p.kappa * t.place.z) * cis(dot(q, t.place));
  }
  static cplx finish(Grid::q, cplx sum) { return sum; }
};
// DAMPED: record { place: position3 }

// A quotient of components is taken apart as one of vectors is.
struct Slab {
  vec3 lower, upper;
};
struct FACET_KERNEL halves {
  using Grid = product<>;
  static cplx term(Grid::q q, const Slab &t) {
    return cis(q.x * ((t.lower.x + t.upper.x) / 2) + q.y * ((t.lower.y + t.upper.y) / 2) +
               q.z * ((t.lower.z + t.upper.z) / 2));
  }
  static cplx finish(Grid::q, cplx sum) { return sum; }
};
// HALVES: record { lower: position3, upper: position3 }
