// dual.h - a number and what it changes by along a direction, to first order: formulas written for
// any number give their derivative beside their value.
//
// Values are computed as those of plain numbers are, operation by operation. W. K. Clifford, Proc.
// London Math. Soc. 4 (1871) 381; A. Griewank, A. Walther, Evaluating Derivatives (2008),
// chapter 3.
#pragma once
#include <array>
#include <cmath>
#include <complex>
#include <concepts>

namespace facet::runtime {

/// value + slope e, e^2 = 0, of reals or complex numbers.
template <class T> struct Dual {
  T value{}, slope{};
  Dual() = default;
  Dual(const std::convertible_to<T> auto &constant) : value(constant) {}
  Dual(const T &v, const T &by) : value(v), slope(by) {}
};
using DualReal = Dual<double>;

template <class Real> struct ComplexNumber {
  using Type = std::complex<Real>;
};
template <class T> struct ComplexNumber<Dual<T>> {
  using Type = Dual<std::complex<T>>;
};
/// The complex number made of two reals of this kind.
template <class Real> using ComplexOf = typename ComplexNumber<Real>::Type;

template <class T> const T &valueOf(const T &x) { return x; }
template <class T> const T &valueOf(const Dual<T> &x) { return x.value; }
/// f(x) from its value and its derivative df.
template <class T> T along(const T &, const T &f, const T &) { return f; }
template <class T> Dual<T> along(const Dual<T> &x, const T &f, const T &df) {
  return {f, df * x.slope};
}

inline std::complex<double> joined(double re, double im) { return {re, im}; }
inline Dual<std::complex<double>> joined(const DualReal &re, const DualReal &im) {
  return {{re.value, im.value}, {re.slope, im.slope}};
}

template <class T> Dual<T> operator-(const Dual<T> &x) { return {-x.value, -x.slope}; }

template <class A, class B> auto operator+(const Dual<A> &x, const Dual<B> &y) {
  return Dual<decltype(x.value + y.value)>(x.value + y.value, x.slope + y.slope);
}
template <class A, class B> auto operator-(const Dual<A> &x, const Dual<B> &y) {
  return Dual<decltype(x.value - y.value)>(x.value - y.value, x.slope - y.slope);
}
template <class A, class B> auto operator*(const Dual<A> &x, const Dual<B> &y) {
  return Dual<decltype(x.value * y.value)>(x.value * y.value,
                                           x.slope * y.value + x.value * y.slope);
}
template <class A, class B> auto operator/(const Dual<A> &x, const Dual<B> &y) {
  const auto ratio = x.value / y.value;
  return Dual(ratio, (x.slope - ratio * y.slope) / y.value);
}

// With a constant, a real or a complex number.

template <class T>
concept Constant = std::same_as<T, double> || std::same_as<T, std::complex<double>>;

template <Constant A, class B> auto operator+(const A &x, const Dual<B> &y) {
  return Dual<decltype(x + y.value)>(x + y.value, y.slope);
}
template <Constant A, class B> auto operator-(const A &x, const Dual<B> &y) {
  return Dual<decltype(x - y.value)>(x - y.value, -y.slope);
}
template <Constant A, class B> auto operator*(const A &x, const Dual<B> &y) {
  return Dual<decltype(x * y.value)>(x * y.value, x * y.slope);
}
template <class A, Constant B> auto operator/(const Dual<A> &x, const B &y) {
  return Dual<decltype(x.value / y)>(x.value / y, x.slope / y);
}

template <class T> Dual<T> exp(const Dual<T> &x) {
  const T e = std::exp(x.value);
  return along(x, e, e);
}
template <class T> Dual<T> log(const Dual<T> &x) {
  return along(x, std::log(x.value), T(1) / x.value);
}
inline DualReal sin(const DualReal &x) { return along(x, std::sin(x.value), std::cos(x.value)); }
inline DualReal cos(const DualReal &x) { return along(x, std::cos(x.value), -std::sin(x.value)); }
/// The slope is not finite if x is 0 and changes.
template <class T> Dual<T> sqrt(const Dual<T> &x) {
  const T root = std::sqrt(x.value);
  return {root, x.slope == 0.0 ? T(0) : x.slope / (2.0 * root)};
}

/// The slope of log x; 0 unless x is above 0.
inline double slopeOfLog(const DualReal &x) { return x.value > 0 ? x.slope / x.value : 0; }

/// The derivative of a smooth function that facet has no formula for, from four values around x:
/// f'(x) = sum of weight f(x + step h) / h, off by h^4 f^(5) / 30.
struct FourPoints {
  static constexpr std::array<double, 4> steps{-2, -1, 1, 2};
  static constexpr std::array<double, 4> weights{1.0 / 12, -2.0 / 3, 2.0 / 3, -1.0 / 12};
};

} // namespace facet::runtime
