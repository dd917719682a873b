// cplx.h - the complex numbers of the language, and vectors of three components, real and complex.
//
// cplx is a class of our own: std::complex needs standard headers, and its product mends NaN and
// infinity at a cost that no kernel wants. Overflow is not guarded: |z|^2 must be a finite number.
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

inline cplx sin(cplx z) {
  using detail::cosh, detail::sinh;
  return {sin(z.re) * cosh(z.im), cos(z.re) * sinh(z.im)};
}

inline cplx cos(cplx z) {
  using detail::cosh, detail::sinh;
  return {cos(z.re) * cosh(z.im), -sin(z.re) * sinh(z.im)};
}

/// sin(z) / z; near 0 by its series, since |z|^2 underflows. The next term is below 1e-21.
inline cplx sinc(cplx z) {
  if (norm2(z) > real(1e-6L))
    return sin(z) / z;
  const cplx square = z * z;
  return 1 - square / 6 * (1 - square / 20);
}

/// As that of a real.
inline cplx sinc_slope(cplx z) {
  return norm2(z) > 1 ? (cos(z) - sin(z) / z) / z : z * detail::sinc_slope_series(z * z);
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

/// A real vector, written vec3(a, b, c).
struct vec3 {
  real x = 0, y = 0, z = 0;
  vec3() = default;
  constexpr vec3(real a, real b, real c) : x(a), y(b), z(c) {}
};

// How a pose changes a column that is a vector: it turns, scales or moves it. A record says which
// by the column's type, else facet finds it from the phase. In expressions these types are vec3.
#define FACET_ROLE(Enum, name, turns, power, moves, doc) using name = vec3;
#include "roles.def"

/// A complex vector, as complex q and what is made from it.
struct cvec3 {
  cplx x, y, z;
  cvec3() = default;
  constexpr cvec3(cplx a, cplx b, cplx c) : x(a), y(b), z(c) {}
  constexpr cvec3(vec3 v) : x(v.x), y(v.y), z(v.z) {} // implicit: real vectors are complex ones too
};

constexpr vec3 operator+(vec3 a) { return a; }
constexpr vec3 operator-(vec3 a) { return {-a.x, -a.y, -a.z}; }
constexpr vec3 operator+(vec3 a, vec3 b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
constexpr vec3 operator-(vec3 a, vec3 b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
constexpr vec3 operator*(vec3 a, real s) { return {a.x * s, a.y * s, a.z * s}; }
constexpr vec3 operator*(real s, vec3 a) { return a * s; }
constexpr vec3 operator/(vec3 a, real s) { return {a.x / s, a.y / s, a.z / s}; }

constexpr cvec3 operator+(cvec3 a) { return a; }
constexpr cvec3 operator-(cvec3 a) { return {-a.x, -a.y, -a.z}; }
constexpr cvec3 operator+(cvec3 a, cvec3 b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
constexpr cvec3 operator-(cvec3 a, cvec3 b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
constexpr cvec3 operator*(cvec3 a, real s) { return {a.x * s, a.y * s, a.z * s}; }
constexpr cvec3 operator*(real s, cvec3 a) { return a * s; }
constexpr cvec3 operator*(cvec3 a, cplx s) { return {a.x * s, a.y * s, a.z * s}; }
constexpr cvec3 operator*(cplx s, cvec3 a) { return a * s; }
constexpr cvec3 operator*(vec3 a, cplx s) { return {a.x * s, a.y * s, a.z * s}; }
constexpr cvec3 operator*(cplx s, vec3 a) { return a * s; }
constexpr cvec3 operator/(cvec3 a, real s) { return {a.x / s, a.y / s, a.z / s}; }
constexpr cvec3 operator/(cvec3 a, cplx s) { return {a.x / s, a.y / s, a.z / s}; }
constexpr cvec3 operator/(vec3 a, cplx s) { return {a.x / s, a.y / s, a.z / s}; }

/// a.x b.x + a.y b.y + a.z b.z: bilinear, nothing is conjugated. Write conj(q) if that is meant.
constexpr real dot(vec3 a, vec3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
constexpr cplx dot(cvec3 a, vec3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
constexpr cplx dot(vec3 a, cvec3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
constexpr cplx dot(cvec3 a, cvec3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }

/// The vector product, bilinear.
constexpr vec3 cross(vec3 a, vec3 b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
constexpr cvec3 cross(cvec3 a, cvec3 b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

/// Component by component.
constexpr vec3 conj(vec3 a) { return a; }
constexpr cvec3 conj(cvec3 a) { return {conj(a.x), conj(a.y), conj(a.z)}; }
constexpr vec3 re(vec3 a) { return a; }
constexpr vec3 re(cvec3 a) { return {a.x.re, a.y.re, a.z.re}; }
constexpr vec3 im(vec3) { return {}; }
constexpr vec3 im(cvec3 a) { return {a.x.im, a.y.im, a.z.im}; }

/// The sum of |component|^2, real and positive: Hermitian.
constexpr real norm2(vec3 a) { return norm2(a.x) + norm2(a.y) + norm2(a.z); }
constexpr real norm2(cvec3 a) { return norm2(a.x) + norm2(a.y) + norm2(a.z); }
/// sqrt(norm2).
inline real norm(vec3 a) { return sqrt(norm2(a)); }
inline real norm(cvec3 a) { return sqrt(norm2(a)); }

/// A real matrix of three rows: m.x is the first row, m.x.y its second number.
struct mat3 {
  vec3 x, y, z;
  mat3() = default;
  constexpr mat3(vec3 a, vec3 b, vec3 c) : x(a), y(b), z(c) {}
};

constexpr mat3 operator+(mat3 a) { return a; }
constexpr mat3 operator-(mat3 a) { return {-a.x, -a.y, -a.z}; }
constexpr mat3 operator+(mat3 a, mat3 b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
constexpr mat3 operator-(mat3 a, mat3 b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
constexpr mat3 operator*(mat3 a, real s) { return {a.x * s, a.y * s, a.z * s}; }
constexpr mat3 operator*(real s, mat3 a) { return a * s; }
constexpr mat3 operator/(mat3 a, real s) { return {a.x / s, a.y / s, a.z / s}; }
constexpr vec3 operator*(mat3 a, vec3 v) { return {dot(a.x, v), dot(a.y, v), dot(a.z, v)}; }
constexpr cvec3 operator*(mat3 a, cvec3 v) { return {dot(a.x, v), dot(a.y, v), dot(a.z, v)}; }
namespace detail {
constexpr vec3 row_times(vec3 row, mat3 m) { return m.x * row.x + m.y * row.y + m.z * row.z; }
} // namespace detail
constexpr mat3 operator*(mat3 a, mat3 b) {
  return {detail::row_times(a.x, b), detail::row_times(a.y, b), detail::row_times(a.z, b)};
}
constexpr mat3 transpose(mat3 a) {
  return {{a.x.x, a.y.x, a.z.x}, {a.x.y, a.y.y, a.z.y}, {a.x.z, a.y.z, a.z.z}};
}
/// The matrix of a.x b.x, a.x b.y, ..: outer(a, b) v = a dot(b, v).
constexpr mat3 outer(vec3 a, vec3 b) { return {b * a.x, b * a.y, b * a.z}; }

constexpr vec3 select(bool a, vec3 b, vec3 c) { return a ? b : c; }
constexpr cvec3 select(bool a, cvec3 b, cvec3 c) { return a ? b : c; }

FACET_LANGUAGE_END
