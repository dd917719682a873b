// rules.h - the quadrature rules on the triangle, and the rule and the cut for one triangle. Bounds
// say how far a rule may be from the exact mean of e^{iq.r} over a triangle: by its degree, and by
// its errors on the powers of a linear function.
#pragma once
#include "runtime/engine/sum/nodes/nodes.h"
#include <string>

namespace facet::runtime {

/// A rule: the mean of f over a triangle is about sum_m weight_m f(node_m), exact for polynomials
/// of `degree`. Weights are positive and sum to 1; barycentric coordinates are positive and sum
/// to 1; with a node come its rotations.
struct Rule {
  struct Node {
    double weight;
    std::array<double, 3> at;
  };
  int degree = 0;
  std::vector<Node> nodes;
};

/// All rules, by degree: 1, 2, 4, 5, 7, 8, ... 20.
std::span<const Rule> rules();

// A rule of degree d with positive weights that sum to 1 is exact for polynomials p of degree d, so
// |mean f - rule f| <= |mean (f - p)| + |rule (f - p)| <= 2 max|f - p| over the triangle, for any
// p. With u = q.(r - c), linear over the triangle, f = e^{iu}, two choices of p (docs/accuracy.md):
//
//   Taylor       |e^{iu} - p| <= e^s x^(d+1)/(d+1)!,  x = max|u|, s = max|Im u|
//   Chebyshev    |e^{iu} - p| <= 2 e^s sum_{k>d} |J_k(a)| rho^k
//                             <= 2 e^s y^(d+1)/(d+1)! / (1 - y/(d+2)),  y = a rho/2 < d + 2
//
// a is half the range of Re u, which is half of the largest |Re q.edge|. For real q this is 2^d
// times better than Taylor. rho is 1 for real q; else that of the ellipse about [-1, 1] which holds
// all u/a.

/// What bounds u over one triangle, rad.
struct PhaseRange {
  double x = 0;                  // max|u|
  double halfRe = 0, halfIm = 0; // half the ranges of Re u and Im u
  double s = 0;                  // max|Im u|
};

// Where f is l e^{iu}, l linear between 0 and 1 at the corners, p may be l times a polynomial of a
// degree less.

/// The natural logarithm of the bound on |mean e^{iu} - rule|; -infinity if x is 0. `cut`: for
/// the triangle cut into cut*cut similar ones, the rule on each.
double logBound(int degree, const PhaseRange &range, int cut = 1);

// The error on e^{iu} for real u, from the rule's error on the powers of u.
//
// With u between -h and h at the corners it is sum_{k>d} h^k/k! max|mean w^k - rule w^k|, w = u/h.
// The corners of w are -1, 1 and one between, so that each maximum is one of a polynomial in one
// variable. It knows the rule, while logBound knows its degree only, and is a few times to some
// hundred times smaller. On l e^{iu} it is the sum over k >= d, and over corners, of the errors on
// l w^k with l = 1 at one corner and 0 at the others. Any l is a sum of these with factors from 0
// to 1.

/// The bound for rules()[rule]; half: half the range of u over the triangle, rad, >= 0. `linear`:
/// on l e^{iu}.
double momentBound(std::size_t rule, double half, bool linear = false);
/// The largest half range at which momentBound is at most `tolerance` (> 0).
double largestHalf(std::size_t rule, double tolerance, bool linear = false);

// The choice for one triangle.

/// A triangle by its corners from the centroid and its edges, nm.
struct TriangleShape {
  TriangleShape(const std::array<Vec3, 3> &corners, const Matrix3 &rotation);
  Vec3 corner[3], edge[3];
  double farthest = 0, longest = 0; // largest |corner|, |edge|
};

/// What bounds q.(r - c) over the triangle for the q of a shell.
PhaseRange phaseRange(const TriangleShape &triangle, const Shell &shell);

/// A shell, with what it allows each rule.
struct Demand {
  explicit Demand(const Shell &shell);
  /// Whether a rule, on a triangle cut into cut*cut, is within the shell's tolerance.
  bool metBy(std::size_t rule, int cut, const PhaseRange &range) const;

  Shell shell;
  double logTolerance;
  /// Real q: largest half range of the phase for each rule, NaN until it is asked for.
  mutable std::vector<double> half;
};

/// The shells as demands, largest |q| first, none that asks for no more than another.
std::vector<Demand> demandsOf(const std::vector<Shell> &shells);

/// The rule and cut with the fewest nodes of those that meet every demand. `mesh`, `which`:
/// for the message of Error (a phase beyond 10^4 rad).
RuleChoice chooseRule(const TriangleShape &triangle, const std::vector<Demand> &demands,
                      const std::string &mesh, std::int64_t which);

} // namespace facet::runtime
