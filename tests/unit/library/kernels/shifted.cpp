// shifted.cpp - phases with constants in them, which optimisers like to move.
#include <facet/dsl.h>
using namespace facet;

struct Site {
  vec3 place;
};

/// Waves that start a quarter and half a radian late.
struct FACET_KERNEL shifted {
  using Grid = product<real, real, cplx>;
  static cplx term(Grid::q q, const Site &t) {
    return cis(0.25 + dot(q, t.place)) + cos(0.5 + q.x * t.place.x);
  }
  static cplx finish(Grid::q, cplx sum) { return sum; }
};
