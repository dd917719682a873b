// dual.h - a number and what it changes by, for kernel files compiled with
// FACET_REAL=facet::test::dual: their derivatives, exact but for rounding of long double, by rules
// of their own. Included before all else (-include).
#pragma once
#include <cmath>

namespace facet::test {

/// a + b e, e^2 = 0.
struct dual {
  long double value = 0, change = 0;
  constexpr dual() = default;
  constexpr dual(long double a) : value(a) {}
  constexpr dual(double a) : value(a) {}
  constexpr dual(int a) : value(a) {}
  constexpr dual(long double a, long double b) : value(a), change(b) {}
  explicit constexpr operator double() const { return static_cast<double>(value); }
  constexpr dual &operator+=(const dual &y) { return *this = {value + y.value, change + y.change}; }
};

constexpr dual operator-(const dual &x) { return {-x.value, -x.change}; }
constexpr dual operator+(const dual &x, const dual &y) {
  return {x.value + y.value, x.change + y.change};
}
constexpr dual operator-(const dual &x, const dual &y) {
  return {x.value - y.value, x.change - y.change};
}
constexpr dual operator*(const dual &x, const dual &y) {
  return {x.value * y.value, x.change * y.value + x.value * y.change};
}
constexpr dual operator/(const dual &x, const dual &y) {
  const long double ratio = x.value / y.value;
  return {ratio, (x.change - ratio * y.change) / y.value};
}
constexpr bool operator<(const dual &x, const dual &y) { return x.value < y.value; }
constexpr bool operator>(const dual &x, const dual &y) { return x.value > y.value; }
constexpr bool operator<=(const dual &x, const dual &y) { return x.value <= y.value; }
constexpr bool operator>=(const dual &x, const dual &y) { return x.value >= y.value; }
constexpr bool operator==(const dual &x, const dual &y) { return x.value == y.value; }

inline dual along(const dual &x, long double value, long double slope) {
  return {value, x.change == 0 ? 0 : slope * x.change};
}
inline dual abs(const dual &x) { return x.value < 0 ? -x : x; }
inline dual sqrt(const dual &x) { return along(x, std::sqrt(x.value), 0.5L / std::sqrt(x.value)); }
inline dual exp(const dual &x) { return along(x, std::exp(x.value), std::exp(x.value)); }
inline dual expm1(const dual &x) { return along(x, std::expm1(x.value), std::exp(x.value)); }
inline dual sin(const dual &x) { return along(x, std::sin(x.value), std::cos(x.value)); }
inline dual cos(const dual &x) { return along(x, std::cos(x.value), -std::sin(x.value)); }
inline dual sinh(const dual &x) { return along(x, std::sinh(x.value), std::cosh(x.value)); }
inline dual cosh(const dual &x) { return along(x, std::cosh(x.value), std::sinh(x.value)); }
inline dual log(const dual &x) { return along(x, std::log(x.value), 1 / x.value); }
inline long double gauss(long double x) { // 2 / sqrt(pi) e^{-x^2}
  return 1.128379167095512573896158903121545172L * std::exp(-x * x);
}
inline dual erf(const dual &x) { return along(x, std::erf(x.value), gauss(x.value)); }
inline dual erfc(const dual &x) { return along(x, std::erfc(x.value), -gauss(x.value)); }
inline dual atan2(const dual &y, const dual &x) {
  const long double square = x.value * x.value + y.value * y.value;
  return {std::atan2(y.value, x.value), (x.value * y.change - y.value * x.change) / square};
}
inline dual pow(const dual &x, double n) {
  return along(x, std::pow(x.value, n), n * std::pow(x.value, n - 1));
}

} // namespace facet::test
