// scatterers.cpp - a record that is no triangle, a list of points, parameters in term and finish.
#include <facet/dsl.h>
using namespace facet;

struct Atom {
  vec3 position; // nm
  real weight;
};

/// Scattering of points with a common Debye-Waller factor.
struct FACET_KERNEL scatterers {
  using Grid = points<real, real, cplx>;
  struct Params {
    real b; // nm^2
    real scale;
  };
  static cplx term(Grid::q q, const Atom &t, Params p) {
    return t.weight * exp(-p.b * norm2(q)) * cis(dot(q, t.position));
  }
  static cplx finish(Grid::q, cplx sum, Params p) { return sum * p.scale; }
};
