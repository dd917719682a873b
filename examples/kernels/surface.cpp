// surface.cpp - the form factor of a thin shell: waves from the surface only.
#include <facet/dsl.h>
using namespace facet;

/// Surface form factor, nm^2: F = sum s e^{i q.c}, centroid rule; at q = 0 the area of the mesh.
struct FACET_KERNEL surface {
  using Grid = product<real, real, cplx>;
  static cplx term(Grid::q q, const Triangle &t) { return t.area * cis(dot(q, t.centroid)); }
  static cplx finish(Grid::q, cplx sum) { return sum; }
  static real origin(const Triangle &t) { return t.area; }
};
