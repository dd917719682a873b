// nodes.cpp - the plasmon-pole sum where no branch changes: D of a pole at a few values of E - E_n,
// q.x, for all bands alike.
#include <facet/dsl.h>
using namespace facet;

struct Wave {            // as in plasmon_pole
  per<Y, cplx> w, inner; // of G and a G'
  per<Z, cplx> m;        // of G and a band
};
struct Parts {
  cplx exchange, hole;
};

/// Far from all poles: what has G' and an energy is a table, what has a band another, and their
/// product is two matrix products.
struct FACET_KERNEL nodes {
  using Grid = product<real, real, real>;
  static Parts term(Grid::q q, const Wave &t) {
    const cplx d = t.w / (q.x - t.w);
    return {t.m * (t.inner * t.w / (q.x + t.w) * d), t.m * (d * t.inner)};
  }
  static Parts finish(Grid::q, const Parts &sum) { return {-sum.exchange, 0.5 * sum.hole}; }
};
