// functions.cpp - sin and cos in half turns, e^{ia} - 1, and means over a triangle: simple and
// accurate rather than fast, formed in long double if double would lose digits.
#include "functions.h"
#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

namespace facet::ir {

namespace {

using Long = std::complex<long double>;
constexpr long double pi = std::numbers::pi_v<long double>;

/// sum over n of 2 h_n(z) / (n+2)!, with h_n the complete homogeneous symmetric polynomials: the
/// mean of e^u over a triangle with corner values z. Converges fast for |z| <= 2.
Long meanSeries(const std::array<Long, 3> &z, bool minusOne) {
  Long h1 = 1, h2 = 1, h3 = 1, sum = minusOne ? 0 : 1;
  long double factorial = 2;
  for (int n = 1; n < 40; ++n) {
    h1 *= z[0];
    h2 = h2 * z[1] + h1;
    h3 = h3 * z[2] + h2;
    factorial *= n + 2;
    sum += 2.0L / factorial * h3;
  }
  return sum;
}

/// (e^a - e^b) / (a - b) = e^{(a+b)/2} sinh(d)/d with d = (a-b)/2.
Long expDifference(Long a, Long b) {
  const Long d = (a - b) / 2.0L;
  const Long ratio = std::abs(d) < 1e-3L ? 1.0L + d * d / 6.0L * (1.0L + d * d / 20.0L) +
                                               d * d * d * d * d * d / 5040.0L
                                         : std::sinh(d) / d;
  return std::exp((a + b) / 2.0L) * ratio;
}

long double largest(const std::array<Long, 3> &z) {
  return std::max({std::abs(z[0]), std::abs(z[1]), std::abs(z[2])});
}

} // namespace

double sinpi(double a) {
  double r = std::remainder(a, 2.0); // exact, in [-1, 1]
  if (r > 0.5)
    r = 1 - r; // exact too
  else if (r < -0.5)
    r = -1 - r;
  return static_cast<double>(std::sin(pi * static_cast<long double>(r)));
}

double cospi(double a) { return sinpi(0.5 - std::abs(std::remainder(a, 2.0))); }

double exp2m1(double a) {
  return static_cast<double>(
      std::expm1(std::numbers::ln2_v<long double> * static_cast<long double>(a)));
}

Complex csqrt(Complex a) {
  // std::sqrt takes the sign of a zero for a side of the cut, and -0 comes from any difference.
  return std::sqrt(a.imag() == 0 ? Complex{a.real(), 0} : a);
}

Complex cis(Complex a) {
  return std::exp(-a.imag()) * Complex{std::cos(a.real()), std::sin(a.real())};
}

double scale2(double a, double b) {
  return std::ldexp(a, static_cast<int>(std::clamp(b, -1022.0, 1023.0)));
}

Complex dot(const Vector &a, const Vector &b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

Vector cross(const Vector &a, const Vector &b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

double norm2(const Vector &a) { return std::norm(a[0]) + std::norm(a[1]) + std::norm(a[2]); }

Complex cism1(Complex a) {
  // e^{u+iv} - 1 = (e^u - 1) cos v + (cos v - 1) + i e^u sin v, with u = -Im a, v = Re a.
  const double u = -a.imag(), v = a.real(), half = std::sin(v / 2);
  return {std::expm1(u) * std::cos(v) - 2 * half * half, std::exp(u) * std::sin(v)};
}

Complex meanCis(Complex a, Complex b, Complex c, bool minusOne) {
  const Long i{0, 1};
  std::array<Long, 3> z{i * Long(a), i * Long(b), i * Long(c)};
  if (largest(z) <= 2)
    return Complex(meanSeries(z, minusOne));
  const Long centre = (z[0] + z[1] + z[2]) / 3.0L;
  std::array<Long, 3> d{z[0] - centre, z[1] - centre, z[2] - centre};
  Long mean;
  if (largest(d) <= 2) {
    mean = std::exp(centre) * meanSeries(d, false);
  } else {
    // Divide by the widest gap, which is at least of the order of 1: no cancellation.
    if (std::abs(z[0] - z[1]) > std::abs(z[0] - z[2]))
      std::swap(z[1], z[2]);
    if (std::abs(z[1] - z[2]) > std::abs(z[0] - z[2]))
      std::swap(z[0], z[1]);
    mean = 2.0L * (expDifference(z[0], z[1]) - expDifference(z[1], z[2])) / (z[0] - z[2]);
  }
  return Complex(minusOne ? mean - 1.0L : mean);
}

} // namespace facet::ir
