// chebyshev.h - interpolation of e^{i q c} in q from a few Chebyshev nodes, with its error bound.
#pragma once
#include <vector>

namespace facet::runtime {

/// Chebyshev points of the first kind of an interval, for barycentric interpolation.
struct Chebyshev {
  std::vector<double> nodes, weights;
  Chebyshev() = default; // none
  /// count = 1: the middle.
  Chebyshev(double low, double high, int count);
  /// values[r] = the Lagrange polynomial of node r at q (their sum is 1).
  void lagrange(double q, double *values) const;
};

/// Interpolation of f(q) = e^{z (q - middle) / half}, |z| <= a, real or complex, on the interval
/// middle -+ half from R Chebyshev points of the first kind errs by at most
///   2 (a/2)^R / R! * max|f|,
/// as |f - p| <= max|f^(R)| / R! * max|prod (q - q_r)|, the last being 2 (half/2)^R for these
/// points (Trefethen, Approximation Theory and Approximation Practice, ch. 11 and 8; for complex f
/// by the Hermite-Genocchi form of the divided difference). The least R <= `most` for which
/// factor * 2 (a/2)^R / R! <= tolerance; 0 where there is none.
int chebyshevCount(double a, double factor, double tolerance, int most);

/// Upper bound of the Lebesgue constant of R Chebyshev points, by which interpolation can enlarge
/// errors of the values at the nodes: 1 + 2/pi log R (the same book, theorem 15.2).
double lebesgueBound(int count);

/// By how much interpolation of e^{-q c}, |c| half <= a, from `count` points can enlarge errors of
/// the values at the nodes, both relative to e^{q a / half}, the size at that q:
///   max over x in [-1, 1] of sum_r |l_r(x)| e^{a (x_r - x)}, from 129 x.
double dampedLebesgue(int count, double a);

} // namespace facet::runtime
