// magnetic.cpp - polarised neutrons: the four spin channels of magnetised bodies.
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
struct Channels {
  cplx uu, dd, ud, du;
};

/// Spin channels N + p.M, N - p.M, (u + i v).M, (u - i v).M along p = u x v; M less its part along
/// q (Halpern and Johnson 1939).
struct FACET_KERNEL magnetic {
  using Grid = product<real, real, cplx>;
  struct Params {
    vec3 u = {1, 0, 0}, v = {0, 1, 0};
  };
  static Amplitudes term(Grid::q q, const Magnetised &t) {
    const cplx flux = t.area * dot(q, t.normal) * mean_cism1(q, t);
    return {t.contrast * flux, flux * t.moment};
  }
  static Channels finish(Grid::q q, const Amplitudes &sum, const Params &p) {
    const cplx scale = -i / dot(q, q), n = scale * sum.nuclear;
    const cvec3 m = scale * (sum.magnetic - q * (dot(q, sum.magnetic) / dot(q, q)));
    const cplx along = dot(cross(p.u, p.v), m), u = dot(p.u, m), v = i * dot(p.v, m);
    return {n + along, n - along, u + v, u - v};
  }
};
