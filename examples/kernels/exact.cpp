// exact.cpp - the form factor of a closed polyhedron without quadrature error.
#include <facet/dsl.h>
using namespace facet;

/// Volume form factor, nm^3, exact for flat triangles of any size.
/// F = -i / |q|^2 sum s (q*.n) mean(e^{i q.r} - 1), the mean taken over each triangle.
struct FACET_KERNEL exact {
  using Grid = product<real, real, cplx>;
  static cplx term(Grid::q q, const Triangle &t) {
    return t.area * dot(conj(q), t.normal) * mean_cism1(q, t);
  }
  static cplx finish(Grid::q q, cplx sum) { return -i * sum / norm2(q); }
  static real origin(const Triangle &t) { return t.area * dot(t.centroid, t.normal) / 3; }
};
