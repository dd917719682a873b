#include <facet/dsl.h>
using namespace facet;
/// Surface form factor.
struct FACET_KERNEL flux {
  using Grid = product<real, real, real>;
  static cplx term(Grid::q q, const Triangle &t) { return t.area * cis(dot(q, t.centroid)); }
  static cplx finish(Grid::q q, cplx sum) { return sum; }
};
