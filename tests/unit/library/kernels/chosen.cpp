// chosen.cpp - choices in term and finish, on the record, on q and on a parameter; exact means;
// parts of a complex parameter and of a vector in the inner loop.
#include <facet/dsl.h>
using namespace facet;

/// A form factor with branches.
struct FACET_KERNEL chosen {
  using Grid = product<real, real, cplx>;
  struct Params {
    real cut;
    vec3 axis;
    cplx index;
  };
  static cplx term(Grid::q q, const Triangle &t, Params p) {
    const real weight = t.area < p.cut ? 1 : t.area;
    return weight * mean_cis(q, t) * (1 + p.index * cos(q.x * t.normal.x + p.axis.y));
  }
  static cplx finish(Grid::q q, cplx sum, Params p) {
    return norm2(q) < p.cut && im(q.z) < 3 ? sum : sum * sqrt(norm2(q));
  }
};
