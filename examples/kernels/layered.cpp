// layered.cpp - a particle of several materials: each triangle has a contrast of its own.
#include <facet/dsl.h>
using namespace facet;

/// A triangle of an interface; contrast: density inside less density outside, nm^-2.
struct Layered : Triangle {
  real contrast;
};

/// Contrast-weighted volume form factor, nm: F = -i / |q|^2 sum d s (q*.n) (e^{i q.c} - 1) over
/// closed interfaces, each of one contrast d: a core in a shell is two meshes in one file.
struct FACET_KERNEL layered {
  using Grid = product<real, real, cplx>;
  static cplx term(Grid::q q, const Layered &t) {
    return t.contrast * t.area * dot(conj(q), t.normal) * cism1(dot(q, t.centroid));
  }
  static cplx finish(Grid::q q, cplx sum) { return -i * sum / norm2(q); }
  static real origin(const Layered &t) {
    return t.contrast * t.area * dot(t.centroid, t.normal) / 3;
  }
};
