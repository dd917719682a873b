// bound.cpp - the error bound of a quadrature rule on e^{iu}, by logarithms.
#include "runtime/quadrature/bound.h"
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace facet::runtime {
namespace {

constexpr double never = std::numeric_limits<double>::infinity();

// a rho / 2: the ellipse with foci -1 and 1 through the corner 1 + i b/a of the rectangle that
// holds u/a has rho + 1/rho = the sum of the corner's distances from the foci; all times a here, so
// that a may be 0.
double ellipse(double a, double b) {
  const double sum = b + std::hypot(2 * a, b);
  return (sum + std::sqrt(std::max(sum * sum - 4 * a * a, 0.0))) / 4;
}

} // namespace

double logBound(int degree, const PhaseRange &range, int cut) {
  if (!(range.x > 0))
    return range.x == 0 ? -never : never;
  const double n = cut, order = degree + 1;
  const double factorial = std::lgamma(order + 1);
  const double taylor = order * std::log(range.x / n) - factorial;
  const double y = ellipse(range.halfRe, range.halfIm) / n;
  double least = std::min(taylor, 0.0); // mean and rule are each at most e^s
  if (y < order + 1)
    least = std::min(least, std::numbers::ln2 + order * std::log(y) - factorial -
                                std::log1p(-y / (order + 1)));
  return std::numbers::ln2 + range.s + least;
}

} // namespace facet::runtime
