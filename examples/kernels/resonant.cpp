// resonant.cpp - polarised soft X-rays at an absorption edge: what a body scatters depends on how
// its molecules lie.
#include <facet/dsl.h>
using namespace facet;

struct Oriented : Triangle {
  direction3 axis; // unit vector along which the molecules inside lie
};
/// F = out* . X . in, nm^3, of the tensor contrast X = across + (along - across) axis axis; abs(k^2
/// F / 4 pi)^2 is the cross section (Born).
struct FACET_KERNEL resonant {
  using Grid = product<real, real, cplx>;
  struct Params {
    cplx along, across; // permittivity along and across the axis, inside less outside
    cvec3 in, out;      // polarisations, unit vectors: of the beam, and what is detected
  };
  static cplx contrast(const Oriented &t, const Params &p) {
    return dot(conj(p.out), p.across * p.in + (p.along - p.across) * t.axis * dot(t.axis, p.in));
  }
  static cplx term(Grid::q q, const Oriented &t, const Params &p) {
    return contrast(t, p) * t.area * dot(conj(q), t.normal) * mean_cism1(q, t);
  }
  static cplx finish(Grid::q q, cplx sum) { return -i * sum / norm2(q); }
  static cplx origin(const Oriented &t, const Params &p) {
    return contrast(t, p) * t.area * dot(t.centroid, t.normal) / 3;
  }
};
