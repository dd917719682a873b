#include <facet/dsl.h>
using namespace facet;
struct FACET_KERNEL bent {
  using Grid = product<real, real, real>;
  static cplx term(Grid::q q, const Triangle &t) {
    return t.area * cis(q.x * q.z * t.centroid.x);
  }
  static cplx finish(Grid::q q, cplx sum) { return sum; }
};
