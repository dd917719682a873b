// direct.h - the rival of direct sums: what a careful C++ programmer writes without facet.
#pragma once

namespace facet::rivals {

/// The classic integrand (q.w) e^{i q.c}, structure of arrays: weights w = s n, centroids c.
struct Mesh {
  int count;
  const float *wx, *wy, *wz, *cx, *cy, *cz;
};

/// sums at n points: point p is (x[p * sx], y[p], z[p]); zi: imaginary parts of z, null where real.
/// Each is a set of loops over a buffer of 512 phases, with cos, sin and exp in loops of their own,
/// which the compiler turns into calls of libmvec.
using Sum = void (*)(const Mesh &mesh, int n, const double *x, const double *y, const double *z,
                     const double *zi, double *re, double *im);

void real_native(const Mesh &, int, const double *, const double *, const double *, const double *,
                 double *, double *);
void complex_native(const Mesh &, int, const double *, const double *, const double *,
                    const double *, double *, double *);
void real_avx2(const Mesh &, int, const double *, const double *, const double *, const double *,
               double *, double *);
void complex_avx2(const Mesh &, int, const double *, const double *, const double *, const double *,
                  double *, double *);

} // namespace facet::rivals
