// What is right is not warned of: matching pairs, cism1, an origin, a denominator that is not zero.
// F(0) may depend on the direction of q, so that no origin is right, or a condition may give it.
// Phases may be damped, and what decays with depth is no wave.
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
struct FACET_KERNEL guarded {
  using Grid = product<>;
  static cplx term(Grid::q q, const Triangle &t) { return t.area * cis(-dot(q, t.centroid)); }
  static cplx finish(Grid::q q, cplx sum) { return norm2(q) > 0 ? sum / norm2(q) : 1; }
};
struct Spin {
  vec3 place, moment;
};
struct FACET_KERNEL magnetic {
  using Grid = product<>;
  static cplx term(Grid::q q, const Spin &t) { return dot(q, t.moment) * cis(dot(q, t.place)); }
  static cplx finish(Grid::q q, cplx sum) { return sum * q.x / norm2(q); }
};
struct FACET_KERNEL magnetised {
  using Grid = product<>;
  static cplx term(Grid::q q, const Triangle &t) {
    return t.area * dot(q, t.normal) * mean_cism1(q, t);
  }
  static cplx finish(Grid::q q, cplx sum) { return -i * sum * q.z * q.z / (norm2(q) * norm2(q)); }
};
struct FACET_KERNEL waves {
  using Grid = product<real, real, cplx>;
  static cplx term(Grid::q q, const Triangle &t) {
    return exp(i * dot(q, t.centroid)) + exp(-0.1 * t.centroid.z - norm2(q)) * mean_cis(q, t);
  }
  static cplx finish(Grid::q q, cplx sum) { return sum * cis(-q.z); }
};
// CHECK-NOT: {{.}}
