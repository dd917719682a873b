// vec.h - vectors of three components, real and complex.
#pragma once
#include "cplx.h"

FACET_LANGUAGE_BEGIN

/// A real vector, written vec3(a, b, c).
struct vec3 {
  real x = 0, y = 0, z = 0;
  vec3() = default;
  constexpr vec3(real a, real b, real c) : x(a), y(b), z(c) {}
};

// What a column of a record that is a vector does when the particle is turned, sized and moved: a
// record says it by the type, else facet finds it from the phase. In expressions they are vec3.
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

constexpr vec3 select(bool a, vec3 b, vec3 c) { return a ? b : c; }
constexpr cvec3 select(bool a, cvec3 b, cvec3 c) { return a ? b : c; }

FACET_LANGUAGE_END
