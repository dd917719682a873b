// soft.cpp - a surface whose facets are blurred: two parameters that a fit changes.
#include <facet/dsl.h>
using namespace facet;

/// Surface form factor with a Gaussian interface of width sigma, scaled by density.
struct FACET_KERNEL soft {
  using Grid = product<real, real, real>;
  struct Params {
    real sigma;   // nm
    real density; // nm^-2
  };
  static cplx term(Grid::q q, const Triangle &t, Params p) {
    return p.density * t.area * cis(dot(q, t.centroid));
  }
  static cplx finish(Grid::q q, cplx sum, Params p) {
    return sum * exp(-norm2(q) * p.sigma * p.sigma / 2);
  }
};
