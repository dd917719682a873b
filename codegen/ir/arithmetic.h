// arithmetic.h - the operations of the table ops.def on numbers of one format, float, double or
// long double: what the evaluator takes them from.
#pragma once
#include "ir.h"
#include <algorithm>
#include <cmath>
#include <complex>
#include <fmt/format.h>
#include <limits>
#include <numbers>
// The language itself, in long double.
#define FACET_REAL long double
#define FACET_REAL_NAMESPACE extended
#include "dsl/facet/mean_cis.h"

namespace facet::ir {

/// Real operands give reals by real arithmetic, complex ones complex numbers. The functions are
/// those of <facet/dsl.h> and those that passes make; the means of waves and csqrt's kin are
/// computed in long double and rounded once.
template <class Real> struct Arithmetic {
  using Complex = std::complex<Real>;
  using Vector = std::array<Complex, 3>;

  static Real sinpi(Real a) {
    Real r = std::remainder(a, Real{2}); // exact, in [-1, 1]
    if (r > Real{0.5})
      r = 1 - r; // exact too
    else if (r < Real{-0.5})
      r = -1 - r;
    return static_cast<Real>(std::sin(pi * static_cast<long double>(r)));
  }
  static Real cospi(Real a) { return sinpi(Real{0.5} - std::abs(std::remainder(a, Real{2}))); }
  static Real sinc(Real a) { return a == 0 ? 1 : std::sin(a) / a; }
  /// sin(pi a) / (pi a), 1 at 0.
  static Real sincpi(Real a) { return a == 0 ? 1 : sinpi(a) / (std::numbers::pi_v<Real> * a); }

  // As <facet/dsl.h> has them.
  static cplx wide(Complex z) { return {z.real(), z.imag()}; }
  static Complex narrow(cplx z) { return {static_cast<Real>(z.re), static_cast<Real>(z.im)}; }
  static Complex sinc(Complex a) { return narrow(facet::sinc(wide(a))); }
  /// The derivative of sinc, 0 at 0.
  static Complex sincSlope(Complex a) { return narrow(sinc_slope(wide(a))); }
  static Real sincSlope(Real a) { return sincSlope(Complex(a)).real(); }

  /// 2^a - 1, exact near 0.
  static Real exp2m1(Real a) {
    return static_cast<Real>(
        std::expm1(std::numbers::ln2_v<long double> * static_cast<long double>(a)));
  }
  /// Principal branch; i sqrt(|a|) for negative a, whatever the sign of its imaginary zero.
  static Complex csqrt(Complex a) {
    // std::sqrt takes the sign of a zero for a side of the cut, and -0 comes from any difference.
    return std::sqrt(a.imag() == 0 ? Complex{a.real(), 0} : a);
  }
  static Complex cis(Complex a) {
    return std::exp(-a.imag()) * Complex{std::cos(a.real()), std::sin(a.real())};
  }
  /// e^{i a} - 1, exact near 0.
  static Complex cism1(Complex a) {
    // e^{u+iv} - 1 = (e^u - 1) cos v + (cos v - 1) + i e^u sin v, with u = -Im a, v = Re a.
    const Real u = -a.imag(), v = a.real(), half = std::sin(v / 2);
    return {std::expm1(u) * std::cos(v) - 2 * half * half, std::exp(u) * std::sin(v)};
  }

  /// a * 2^b, b clamped to the exponent range; NaN where b is.
  static Real scale2(Real a, Real b) {
    constexpr Real least = std::numeric_limits<Real>::min_exponent - 1,
                   most = std::numeric_limits<Real>::max_exponent - 1;
    return std::isnan(b) ? b : std::ldexp(a, static_cast<int>(std::clamp(b, least, most)));
  }
  /// a = m 2^e with m from sqrt(1/2) to sqrt(2): e and m. For 0, infinity and NaN: 0 and a.
  static Real exponent2(Real a) {
    if (a == 0 || !std::isfinite(a))
      return 0;
    int e = 0;
    return static_cast<Real>(std::frexp(a, &e) < static_cast<Real>(std::numbers::sqrt2 / 2) ? e - 1
                                                                                            : e);
  }
  static Real mantissa2(Real a) { return std::ldexp(a, -static_cast<int>(exponent2(a))); }
  /// a where b is positive and finite, else what `edge` of ops.def says.
  static Real edge(Real a, Real b, Real c) {
    constexpr Real infinity = std::numeric_limits<Real>::infinity();
    if (b == 0)
      return c == 0 ? 0 : c * infinity;
    if (b == infinity)
      return c > 0 ? 0 : infinity;
    return b > 0 ? a : std::numeric_limits<Real>::quiet_NaN();
  }

  static Vector vec(Complex x, Complex y, Complex z) { return {x, y, z}; }
  static Complex dot(const Vector &a, const Vector &b) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
  }
  static Vector cross(const Vector &a, const Vector &b) {
    return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
  }
  static Real norm2(const Vector &a) { return std::norm(a[0]) + std::norm(a[1]) + std::norm(a[2]); }

  /// The mean of e^{i u} over a flat triangle on which u is linear, with corner values a, b, c:
  /// twice the divided difference of exp at i a, i b, i c (Hermite-Genocchi). `minusOne`: of
  /// e^{i u} - 1.
  static Complex meanCis(Complex a, Complex b, Complex c, bool minusOne) {
    return narrow(minusOne ? mean_cism1(wide(a), wide(b), wide(c))
                           : mean_cis(wide(a), wide(b), wide(c)));
  }
  static Complex meanEdge(Complex a, Complex b, bool minusOne) {
    return narrow(minusOne ? mean_cism1(wide(a), wide(b)) : mean_cis(wide(a), wide(b)));
  }
  /// The means of l e^{i u} over that triangle, l the barycentric coordinate of each corner.
  static Vector meanSlopes(Complex a, Complex b, Complex c) {
    const cvec3 means = mean_slopes(wide(a), wide(b), wide(c));
    return {narrow(means.x), narrow(means.y), narrow(means.z)};
  }

  /// What the op of `value` makes of operands of these types; scalars use component 0.
  static Vector apply(const Value &value, const std::array<Vector, 3> &in,
                      const std::array<Type, 3> &types) {
    [[maybe_unused]] const auto k = static_cast<std::size_t>(value.component);
    switch (value.op) {
#define FACET_LEAF(...)
#define FACET_OP(Enum, spelling, arity, rule, traits, flops, instructions, result, ...)            \
  case Op::Enum:                                                                                   \
    return applied<Rule::rule>(                                                                    \
        value, in, types, [&](const auto &a, const auto &b, const auto &c) { return result; });
#include "ops.def"
    default:
      throw Error{fmt::format("evaluate: {} is a leaf", info(value.op).spelling), value.loc};
    }
  }

private:
  static Vector vectorOf(const Vector &value) { return value; }
  static Vector vectorOf(Complex value) { return {value}; }

  /// An op of the rule on operands of these types, by `f`, the column `value` of ops.def.
  template <Rule rule, class F>
  static Vector applied(const Value &value, const std::array<Vector, 3> &in,
                        const std::array<Type, 3> &types, F f) {
    if constexpr (rule >= Rule::Choose) { // vectors
      return vectorOf(f(in[0], in[1], in[2]));
    } else if constexpr (rule >= Rule::Real) { // reals
      return {Complex(f(in[0][0].real(), in[1][0].real(), in[2][0].real()))};
    } else { // component by component, a scalar operand standing for all three
      Vector out{};
      const bool anyComplex = isComplex(value.type) || isComplex(types[0]);
      for (int k = 0; k < (isVector(value.type) ? 3 : 1); ++k) {
        const auto of = [&](int operand) { return in[operand][isVector(types[operand]) ? k : 0]; };
        const Complex a = of(0), b = of(1), c = of(2);
        if (anyComplex)
          out[k] = f(a, b, c);
        else
          out[k] = Complex(f(a.real(), b.real(), c.real()));
      }
      return out;
    }
  }
};

} // namespace facet::ir
