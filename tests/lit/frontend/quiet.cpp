// What is right is not warned of: matching pairs, cism1, an origin, a denominator that is not zero.
// RUN: facetc %s --kernel=closed -o %t.fir 2>&1 | FileCheck %s --allow-empty
#include <facet/dsl.h>
using namespace facet;

struct FACET_KERNEL closed {
  using Grid = product<real, real, cplx>;
  static cplx term(Grid::q q, const Triangle &t) {
    return t.area * dot(conj(q), t.normal) * cism1(dot(q, t.centroid));
  }
  static cplx finish(Grid::q q, cplx sum) { return -i * sum / norm2(q); }
  static real origin(const Triangle &t) { return t.area * dot(t.centroid, t.normal) / 3; }
};
struct FACET_KERNEL classic {
  using Grid = product<real, real, cplx>;
  static cplx term(Grid::q q, const Triangle &t) {
    return t.area * dot(q, t.normal) * cis(dot(q, t.centroid));
  }
  static cplx finish(Grid::q q, cplx sum) { return -i * sum / dot(q, q); }
  static real origin(const Triangle &t) { return t.area * dot(t.centroid, t.normal) / 3; }
};
struct FACET_KERNEL screened {
  using Grid = product<>;
  static cplx term(Grid::q q, const Triangle &t) { return t.area * cis(-dot(q, t.centroid)); }
  static cplx finish(Grid::q q, cplx sum) { return sum / (1 + norm2(q)); }
};
// CHECK-NOT: {{.}}
