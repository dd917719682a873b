// bound.h - how far a quadrature rule may be from the exact mean of e^{iq.r} over a triangle.
//
// A rule of degree d with positive weights that sum to 1 is exact for polynomials p of degree d, so
// |mean f - rule f| <= |mean (f - p)| + |rule (f - p)| <= 2 max|f - p| over the triangle, for any
// p. With u = q.(r - c), linear over the triangle, f = e^{iu}, two choices of p (docs/accuracy.md):
//
//   Taylor       |e^{iu} - p| <= e^s x^(d+1)/(d+1)!,  x = max|u|, s = max|Im u|
//   Chebyshev    |e^{iu} - p| <= 2 e^s sum_{k>d} |J_k(a)| rho^k
//                             <= 2 e^s y^(d+1)/(d+1)! / (1 - y/(d+2)),  y = a rho/2 < d + 2
//
// a is half the range of Re u, which is half of the largest |Re q.edge|: for real q 2^d times
// better than Taylor. rho is 1 for real q; else that of the ellipse about [-1, 1] which holds all
// u/a.
#pragma once

namespace facet::runtime {

/// What bounds u over one triangle, rad.
struct PhaseRange {
  double x = 0;                  // max|u|
  double halfRe = 0, halfIm = 0; // half the ranges of Re u and Im u
  double s = 0;                  // max|Im u|
};

/// The natural logarithm of the bound on |mean e^{iu} - rule|; -infinity where x is 0. `cut`: for
/// the triangle cut into cut*cut similar ones, the rule on each.
double logBound(int degree, const PhaseRange &range, int cut = 1);

} // namespace facet::runtime
