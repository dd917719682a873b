// rough.cpp - a particle whose faces are rough: each triangle damps what it adds, by a width of its
// own.
#include <facet/dsl.h>
using namespace facet;

/// A triangle of a rough surface; sigma: root mean square of its heights, a length as its corners
/// are, nm.
struct Rough : Triangle {
  scaled<1> sigma;
};

/// Volume form factor of a closed mesh with Gaussian heights along the normals, nm^3:
/// F = -i / |q|^2 sum s (q*.n) e^{-sigma^2 |q.n|^2 / 2} mean(e^{i q.r}).
struct FACET_KERNEL rough {
  using Grid = product<real, real, cplx>;
  static cplx term(Grid::q q, const Rough &t) {
    const real lost = expm1(-0.5 * pow(t.sigma, 2) * norm2(dot(q, t.normal))); // what damping takes
    return t.area * dot(conj(q), t.normal) * ((1 + lost) * mean_cism1(q, t) + lost);
  }
  static cplx finish(Grid::q q, cplx sum) { return -i * sum / norm2(q); }
  static real origin(const Rough &t) { return t.area * dot(t.centroid, t.normal) / 3; }
};
