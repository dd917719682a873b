// plasmon_pole.cpp - self-energies of electrons: the pair sum of a plasmon-pole model, with its
// branches.
#include <facet/dsl.h>
using namespace facet;

struct Wave {            // a plane wave G
  per<Y, cplx> w, inner; // of G and a G': the pole's energy, the strength of screening
  per<Z, cplx> m;        // of G and a band: the matrix element
};
struct Parts {
  cplx exchange, hole;
};

/// Screened exchange and Coulomb hole of a G' (axis y) and a band of energy q.z at the energy q.x,
/// summed over G (Hybertsen and Louie 1986). With D = w / (E - w): w^2 / (E^2 - w^2) = D w / (E +
/// w) far from the pole; near it D / (4 D + 2) = w / (E + w) / 2.
struct FACET_KERNEL plasmon_pole {
  using Grid = product<real, real, real>;
  static Parts term(Grid::q q, const Wave &t) {
    const real e = abs(q.x - q.z) < 1e-12 ? 1e-12 : q.x - q.z, away = norm2(e - t.w),
               size = norm2(t.w), near = away > 1e12 * size ? 0 : -0.5;
    const bool far = away > max(0.25, 4e-6 * size);
    const cplx d = t.w / (e - t.w), x = t.w / (e + t.w) * (far ? d : near),
               strength = t.m * t.inner;
    return {strength * (e < 0 && norm2(x) > 16 ? 0 : x), strength * (far ? d : 0)};
  }
  static Parts finish(Grid::q, const Parts &sum) { return {-sum.exchange, 0.5 * sum.hole}; }
};
