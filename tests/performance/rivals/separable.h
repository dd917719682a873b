// separable.h - the rival of separable sums: matrix products of OpenBLAS, as a careful programmer
// calls them from C++.
#pragma once
#include <complex>
#include <string>
#include <vector>

namespace facet::rivals {

/// The classic integrand (q.w) e^{i q.c}, structure of arrays: weights w = s n, centroids c (nm).
template <class Real> struct Columns {
  std::vector<Real> w[3], c[3];
};

/// F = sum over t of (q.w) e^{i q.c} on a grid 1 x ny x nz; zi: imaginary parts of z, empty where
/// real. Two complex products [ny x t][t x nz], stacked into one call: W1 = (q.x w.x + q.y w.y)
/// e^{i (q.x c.x + q.y c.y)}, W2 = w.z e^{..}; F = W1 E + q.z W2 E. Phases of `block` records at a
/// time by loops that the compiler turns into calls of libmvec. f: ny * nz values. One thread.
template <class Real>
void blas(const Columns<Real> &records, double x, const std::vector<double> &y,
          const std::vector<double> &z, const std::vector<double> &zi, int block,
          std::vector<std::complex<Real>> &f);

/// "OpenBLAS 0.3.31 ... SkylakeX": what the products are computed with.
std::string blasName();

/// OpenBLAS obeys $OPENBLAS_CORETYPE, which some machines set to an older CPU than theirs, when it
/// is loaded. Starts this program once more without it.
void useOwnBlasKernel(char **argv);

} // namespace facet::rivals
