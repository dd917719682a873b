// Records: a triangle with columns of its own, and one that is no triangle.
// RUN: facetc %s --kernel=extended | FileCheck %s --check-prefix=EXTENDED
// RUN: facetc %s --kernel=atoms | FileCheck %s --check-prefix=ATOMS
#include <facet/dsl.h>
using namespace facet;

struct Layered : Triangle {
  real contrast, unused;
};
struct Magnetic : Layered {
  vec3 moment;
};
struct FACET_KERNEL extended {
  using Grid = product<>;
  static cplx term(Grid::q q, const Magnetic &t) {
    return t.contrast * t.area * dot(t.moment, q) * centred(q, t);
  }
  static cplx centred(Grid::q q, const Triangle &t) { return cis(dot(q, t.centroid)); }
  static cplx finish(Grid::q q, cplx sum) { return sum; }
};
// EXTENDED: triangle { area: real, centroid: vec3, contrast: real, moment: direction3 }
// EXTENDED: mul t.contrast, t.area : real [t]
// EXTENDED: dot t.moment, q : real [x y z t]

struct Atom {
  vec3 place;
  real charge;
};
struct FACET_KERNEL atoms {
  using Grid = points<>;
  static cplx term(Grid::q q, const Atom &a) { return a.charge * cis(dot(q, a.place)); }
  static cplx finish(Grid::q q, cplx sum) { return sum; }
};
// ATOMS: record { place: position3, charge: real }
// ATOMS: dot q, t.place : real [q t]
