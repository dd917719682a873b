// window.cpp - the Kaiser-Bessel window made into polynomials, a piece for each node.
#include "runtime/engine/transform/nufft/window.h"
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>

namespace facet::runtime {
namespace {

/// windowError is this times e^{-pi w sqrt(1 - 1/upsampling)}; a test compares each width with the
/// errors of waves.
constexpr double Factor = 22;
/// Polynomials err by this part of windowError.
constexpr double PartOfPolynomials = 0.02;

constexpr int Points = 24; // from which a polynomial is made

/// The coefficients of Chebyshev polynomials T_0, T_1, .. of a function on [-1, 1].
template <class F> std::array<double, Points> chebyshevOf(const F &f) {
  std::array<double, Points> values{}, made{};
  for (int i = 0; i < Points; ++i)
    values[i] = f(std::cos(std::numbers::pi * (i + 0.5) / Points));
  for (int k = 0; k < Points; ++k)
    for (int i = 0; i < Points; ++i)
      made[k] += (k == 0 ? 1.0 : 2.0) / Points * values[i] *
                 std::cos(std::numbers::pi * k * (i + 0.5) / Points);
  return made;
}

/// The coefficients of powers of t, from the first `n` of these.
std::array<double, Points> powersOf(const std::array<double, Points> &chebyshev, int n) {
  std::array<double, Points> made{}, before{}, now{};
  before[0] = 1, now[1] = 1; // T_0, T_1
  for (int k = 0; k < n; ++k) {
    for (int i = 0; i <= k; ++i)
      made[i] += chebyshev[k] * before[i];
    std::array<double, Points> next{};
    for (int i = 0; i + 1 < Points; ++i)
      next[i + 1] = 2 * now[i];
    for (int i = 0; i < Points; ++i)
      next[i] -= before[i];
    before = now, now = next;
  }
  return made;
}

/// Sum of u^k / (k! (k + m)!): I_m(2 sqrt u) u^(-m/2). All terms have one sign.
double besselSeries(int m, double u) {
  double term = 1.0 / std::tgamma(m + 1.0), sum = term;
  for (int k = 1; term > 1e-18 * sum; ++k) {
    term *= u / (1.0 * k * (k + m));
    sum += term;
  }
  return sum;
}

/// sinh(r) / r with r = sqrt(d), or sin(r) / r with r = sqrt(-d) if d is below 0; and its slope by
/// d.
std::array<double, 2> shapeOf(double d) {
  const double root = std::sqrt(std::abs(d)), sine = d > 0 ? std::sinh(root) : std::sin(root),
               cosine = d > 0 ? std::cosh(root) : std::cos(root);
  if (root < 1e-2)
    return {1 + d / 6 * (1 + d / 20), (1 + d / 10 * (1 + d / 28)) / 6};
  return {sine / root, (cosine - sine / root) / (2 * d)};
}

double betaOf(int width, double upsampling) {
  return std::numbers::pi * width * (1 - 0.5 / upsampling) * std::min(0.985, 0.865 + 0.018 * width);
}

} // namespace

double windowError(int width, double upsampling) {
  return Factor * std::exp(-std::numbers::pi * width * std::sqrt(1 - 1 / upsampling));
}

double singleError(int width, int axes, double upsampling) {
  constexpr double rounding = 4 * std::numeric_limits<float>::epsilon(); // a test has the worst
  const double beta = betaOf(width, upsampling), u = std::numbers::pi * width * 0.5 / upsampling;
  const double edge = shapeOf(beta * beta)[0] / shapeOf(beta * beta - u * u)[0];
  return rounding * std::pow(edge, axes);
}

double slopeErrors(int order, double upsampling) {
  constexpr double slope = 6; // seen for all widths
  return std::pow(slope * (2 * upsampling - 1), order);
}

int windowWidth(double eps, int axes, double upsampling) {
  const double decay = std::numbers::pi * std::sqrt(1 - 1 / upsampling);
  return std::max(Window::Narrowest,
                  static_cast<int>(std::ceil(std::log(Factor * axes / eps) / decay - 1e-9)));
}

/// phi and its derivatives by the place of the point, y = 2x/w; not divided by I0(beta).
std::array<double, 3> Window::slopesAt(double y) const {
  const double u = 0.25 * beta_ * beta_ * std::max(1 - y * y, 0.0), half = 0.5 * beta_ * beta_,
               by = 2.0 / width_;
  const double b1 = besselSeries(1, u), b2 = besselSeries(2, u);
  return {besselSeries(0, u), by * half * y * b1, by * by * half * (half * y * y * b2 - b1)};
}

Window::Window(int width, double upsampling, bool slopes)
    : width_(width), beta_(betaOf(width, upsampling)),
      middle_(besselSeries(0, 0.25 * beta_ * beta_)) {
  // Waves are divided by fourier() of the finest at least.
  const double tail = std::max(PartOfPolynomials * windowError(width, upsampling) *
                                   fourier(0.5 / upsampling) / width,
                               1e-17);
  std::array<std::vector<std::array<double, Points>>, 3> pieces;
  const int orders = slopes ? 3 : 1;
  for (int o = 0; o < orders; ++o)
    for (int j = 0; j < width; ++j) {
      pieces[o].push_back(chebyshevOf(
          [&](double t) { return slopesAt((2 * j + 1 + t) / width - 1)[o] / middle_; }));
      const double most =
          tail * slopeErrors(o, upsampling) * std::pow(std::numbers::pi / upsampling, o);
      double rest = 0;
      for (int n = Points - 1; n > degree_; --n)
        if ((rest += std::abs(pieces[o].back()[n])) > most) {
          degree_ = n;
          break;
        }
    }
  for (int o = 0; o < orders; ++o) {
    coefficients_[o].resize(static_cast<std::size_t>(degree_ + 1) * Padded);
    for (int j = 0; j < width; ++j) {
      const std::array<double, Points> powers = powersOf(pieces[o][j], degree_ + 1);
      for (int k = 0; k <= degree_; ++k)
        coefficients_[o][static_cast<std::size_t>(degree_ - k) * Padded + j] = powers[k];
    }
  }
}

// Oberhettinger, Tables of Fourier Transforms, of I0(b sqrt(a^2 - x^2)); beyond beta it oscillates.
double Window::fourier(double k) const {
  const double u = std::numbers::pi * width_ * k;
  return width_ * shapeOf(beta_ * beta_ - u * u)[0] / middle_;
}

double Window::fourierSlope(double k) const {
  const double by = std::numbers::pi * width_, u = by * k;
  const auto [shape, slope] = shapeOf(beta_ * beta_ - u * u);
  return -2 * u * by * slope / shape;
}

} // namespace facet::runtime
