// magnetic.cpp - polarised neutrons: the nuclear and the magnetic amplitude of magnetised bodies.
#include <facet/dsl.h>
using namespace facet;

struct Magnetised : Triangle {
  real contrast;     // of the nuclear scattering length density, inside less outside
  direction3 moment; // of the magnetic one: the magnetisation in the same unit
};
struct Amplitudes {
  cplx nuclear;
  cvec3 magnetic;
};

/// One spin channel: c N + d.M_perp, M_perp = M - q (q.M) / q^2 (Halpern and Johnson 1939), exact for uniformly magnetised bodies.
/// Spins along p, u x v = p: ++ has c = 1, d = p; -- c = 1, d = -p; +- c = 0, d = u + i v; -+ c = 0, d = u - i v.
struct FACET_KERNEL magnetic {
  using Grid = product<real, real, cplx>;
  struct Params {
    real c = 1;
    cvec3 d;
  };
  static Amplitudes term(Grid::q q, const Magnetised &t) {
    const cplx flux = t.area * dot(q, t.normal) * mean_cism1(q, t);
    return {t.contrast * flux, flux * t.moment};
  }
  static cplx finish(Grid::q q, const Amplitudes &sum, const Params &p) {
    const cvec3 across = sum.magnetic - q * (dot(q, sum.magnetic) / dot(q, q));
    return -i * (p.c * sum.nuclear + dot(p.d, across)) / dot(q, q);
  }
};
