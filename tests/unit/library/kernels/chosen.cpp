// chosen.cpp - choices in term and finish, on the record, on q and on a parameter; exact means.
#include <facet/dsl.h>
using namespace facet;

/// A form factor with branches.
struct FACET_KERNEL chosen {
  using Grid = product<real, real, cplx>;
  struct Params {
    real cut;
  };
  static cplx term(Grid::q q, const Triangle &t, Params p) {
    const real weight = t.area < p.cut ? 1 : t.area;
    return weight * mean_cis(q, t);
  }
  static cplx finish(Grid::q q, cplx sum, Params p) {
    return norm2(q) < p.cut && im(q.z) < 3 ? sum : sum * sqrt(norm2(q));
  }
};
