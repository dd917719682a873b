// lit.cpp - a sum over the triangles on one side of a plane that turns with q.x. It compares
// positions, so that the mesh must stay where it is, though few q and triangles show it.
#include <facet/dsl.h>
using namespace facet;

struct FACET_KERNEL lit {
  using Grid = product<real, real, real>;
  static cplx term(Grid::q q, const Triangle &t) {
    const real seen = 0.1 * q.x * t.centroid.y < 1.9 ? 1.0 : 0.5;
    return seen * t.area * cis(dot(q, t.centroid));
  }
  static cplx finish(Grid::q, cplx sum) { return sum; }
};
