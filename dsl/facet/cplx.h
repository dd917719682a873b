// cplx.h - the complex numbers of the language.
//
// A class of our own: std::complex needs standard headers, and its product mends NaN and infinity
// at a cost that no kernel wants. Overflow is not guarded: |z|^2 must be a finite number.
#pragma once
#include "real.h"

FACET_LANGUAGE_BEGIN

/// A complex number. Kernels write a + i * b, and read re(z) and im(z).
struct cplx {
  real re = 0, im = 0;
  cplx() = default;
  constexpr cplx(real a) : re(a) {} // implicit: reals mix with complex numbers
  constexpr cplx(real a, real b) : re(a), im(b) {}
};

/// The imaginary unit.
inline constexpr cplx i{0, 1};

constexpr cplx operator+(cplx a) { return a; }
constexpr cplx operator-(cplx a) { return {-a.re, -a.im}; }
constexpr cplx operator+(cplx a, cplx b) { return {a.re + b.re, a.im + b.im}; }
constexpr cplx operator+(cplx a, real b) { return {a.re + b, a.im}; }
constexpr cplx operator+(real a, cplx b) { return {a + b.re, b.im}; }
constexpr cplx operator-(cplx a, cplx b) { return {a.re - b.re, a.im - b.im}; }
constexpr cplx operator-(cplx a, real b) { return {a.re - b, a.im}; }
constexpr cplx operator-(real a, cplx b) { return {a - b.re, -b.im}; }
constexpr cplx operator*(cplx a, cplx b) {
  return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}
constexpr cplx operator*(cplx a, real b) { return {a.re * b, a.im * b}; }
constexpr cplx operator*(real a, cplx b) { return {a * b.re, a * b.im}; }

constexpr real re(cplx z) { return z.re; }
constexpr real im(cplx z) { return z.im; }
constexpr cplx conj(cplx z) { return {z.re, -z.im}; }
constexpr real norm2(cplx z) { return z.re * z.re + z.im * z.im; } // |z|^2

constexpr cplx operator/(cplx a, real b) { return {a.re / b, a.im / b}; }
constexpr cplx operator/(cplx a, cplx b) { return a * conj(b) / norm2(b); }
constexpr cplx operator/(real a, cplx b) { return a * conj(b) / norm2(b); }

constexpr cplx select(bool a, cplx b, cplx c) { return a ? b : c; }

/// |z|.
inline real abs(cplx z) { return sqrt(norm2(z)); }

/// Principal branch. The part that would cancel is found from the other one, since their product is
/// im(z) / 2.
inline cplx sqrt(cplx z) {
  const real large = sqrt((abs(z.re) + abs(z)) / 2);
  const real small = large == 0 ? real(0) : abs(z.im) / (2 * large);
  const real imaginary = z.re < 0 ? large : small;
  return {z.re < 0 ? small : large, z.im < 0 ? -imaginary : imaginary};
}

inline cplx exp(cplx z) {
  const real modulus = exp(z.re);
  return {modulus * cos(z.im), modulus * sin(z.im)};
}

inline cplx sin(cplx z) { return {sin(z.re) * detail::cosh(z.im), cos(z.re) * detail::sinh(z.im)}; }

inline cplx cos(cplx z) {
  return {cos(z.re) * detail::cosh(z.im), -sin(z.re) * detail::sinh(z.im)};
}

/// e^{i x}: e^{-im x} (cos(re x) + i sin(re x)), so a positive imaginary part damps.
inline cplx cis(real x) { return {cos(x), sin(x)}; }
inline cplx cis(cplx z) { return exp(-z.im) * cis(z.re); }

/// e^{i x} - 1, exact near 0: cos x - 1 = -2 sin^2(x/2).
inline cplx cism1(real x) {
  const real half = sin(x / 2);
  return {-2 * half * half, sin(x)};
}
inline cplx cism1(cplx z) {
  const real grown = expm1(-z.im); // e^{-b} cis(a) - 1 = (e^{-b} - 1) cis(a) + (cis(a) - 1)
  return grown * cis(z.re) + cism1(z.re);
}

FACET_LANGUAGE_END
