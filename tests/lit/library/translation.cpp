// Whether a particle may be centred is asked of both sides of a choice: a sum that is 0 for most records, and does not
// turn by a phase for the others, stays where it is.
// RUN: facetc %s --kernel=faces --emit=manifest | FileCheck %s --check-prefix=STAYS
// RUN: facetc %s --kernel=rare --emit=manifest | FileCheck %s --check-prefix=STAYS
// RUN: facetc %s --kernel=moves --emit=manifest | FileCheck %s --check-prefix=MOVES
// STAYS: "translation": "no"
// MOVES: "translation": "always"
#include <facet/dsl.h>
using namespace facet;

struct FACET_KERNEL faces {
  using Grid = product<real, real, real>;
  static cplx term(Grid::q q, const Triangle &t) { return t.area * i * (t.normal.y < 0.9999 ? 0.0 : 1.5); }
  static cplx finish(Grid::q q, cplx sum) { return sum; }
};

struct FACET_KERNEL rare {
  using Grid = product<real, real, real>;
  static cplx term(Grid::q q, const Triangle &t) {
    return t.area * (t.normal.y < 0.9999 ? cis(dot(q, t.centroid)) : cplx(q.x));
  }
  static cplx finish(Grid::q q, cplx sum) { return sum; }
};

struct FACET_KERNEL moves {
  using Grid = product<real, real, real>;
  static cplx term(Grid::q q, const Triangle &t) {
    return t.area * (t.normal.y < 0.9999 ? 1.0 : 2.0) * cis(dot(q, t.centroid));
  }
  static cplx finish(Grid::q q, cplx sum) { return sum; }
};
