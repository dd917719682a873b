// exact.h - the rival of exact direct sums: what a careful C++ programmer writes without facet.
#pragma once

namespace facet::rivals {

/// Structure of arrays, nm: areas times normals w, centroids c, and the corners v0, v1 less c.
template <class Real> struct Corners {
  int count;
  const Real *w[3], *c[3], *first[3], *second[3];
};

/// Sums over the triangles of (q.w) mean(e^{iu} - 1), u = q.r over the triangle, on a grid
/// 1 x ny x nz of real q. The formula of <facet/mean_cis.h>: with the phase of the centroid taken
/// out, a series where the corners' phases are close and a divided difference elsewhere, chosen by
/// select. Blocks of records; sines and cosines in loops of their own, which the compiler turns
/// into calls of libmvec; sums of a block in Real, of blocks in double.
template <class Real>
using ExactSum = void (*)(const Corners<Real> &mesh, double x, int ny, const double *y, int nz,
                          const double *z, double *re, double *im);

#define FACET_EXACT_RIVAL(Real, name)                                                              \
  void name(const Corners<Real> &, double, int, const double *, int, const double *, double *,     \
            double *);
FACET_EXACT_RIVAL(float, exact_f32_native)
FACET_EXACT_RIVAL(double, exact_f64_native)
FACET_EXACT_RIVAL(float, exact_f32_avx2)
FACET_EXACT_RIVAL(double, exact_f64_avx2)
#undef FACET_EXACT_RIVAL

} // namespace facet::rivals
