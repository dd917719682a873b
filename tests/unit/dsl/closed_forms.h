// closed_forms.h - transforms of polyhedra in long double, by a way of their own: divided
// differences of the exponential as entries of a matrix exponential (G. Opitz, ZAMM 44, 1964).
#pragma once
#include <array>
#include <cmath>
#include <complex>
#include <facet/dsl.h>
#include <vector>

FACET_LANGUAGE_BEGIN
namespace test {

using Long = long double;
using LongComplex = std::complex<Long>;
using LongVector = std::array<LongComplex, 3>;

inline LongComplex wide(real x) { return {x, 0}; }
inline LongComplex wide(cplx z) { return {z.re, z.im}; }
template <class V> LongVector wide3(const V &v) { return {wide(v.x), wide(v.y), wide(v.z)}; }

inline LongComplex dotOf(const LongVector &a, const LongVector &b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/// e^{iu}[u_0, ..., u_{N-1}]: the last entry of the first row of exp of the upper bidiagonal matrix
/// with i u_k on the diagonal and i beside it. Exact even if nodes are equal.
template <std::size_t N> LongComplex dividedDifference(const std::array<LongComplex, N> &u) {
  using Matrix = std::array<std::array<LongComplex, N>, N>;
  const auto times = [](const Matrix &a, const Matrix &b) {
    Matrix c{};
    for (std::size_t row = 0; row < N; ++row)
      for (std::size_t column = row; column < N; ++column)
        for (std::size_t k = row; k <= column; ++k)
          c[row][column] += a[row][k] * b[k][column];
    return c;
  };
  const LongComplex unit(0, 1);
  LongComplex mean = 0; // taken out, so that close nodes far from zero keep their digits
  for (const LongComplex &value : u)
    mean += value / static_cast<Long>(N);
  Long size = 1;
  for (const LongComplex &value : u)
    size += std::abs(value - mean);
  int squarings = 0;
  for (; size > 0.5L; size /= 2)
    ++squarings;
  const Long scale = std::ldexp(1.0L, -squarings);
  Matrix a{}, power{}, sum{};
  for (std::size_t k = 0; k < N; ++k) {
    a[k][k] = unit * (u[k] - mean) * scale;
    if (k + 1 < N)
      a[k][k + 1] = unit * scale;
    power[k][k] = sum[k][k] = 1;
  }
  for (int n = 1; n <= 24; ++n) {
    power = times(power, a);
    for (auto &row : power)
      for (LongComplex &entry : row)
        entry /= static_cast<Long>(n);
    for (std::size_t row = 0; row < N; ++row)
      for (std::size_t column = row; column < N; ++column)
        sum[row][column] += power[row][column];
  }
  for (int k = 0; k < squarings; ++k)
    sum = times(sum, sum);
  return std::exp(unit * mean) * sum[0][N - 1];
}

/// Mean of e^{iu} over a triangle with corner phases a, b, c: -2 E[a, b, c].
inline LongComplex meanOf(LongComplex a, LongComplex b, LongComplex c) {
  return -2.0L * dividedDifference<3>({a, b, c});
}

/// Mean of e^{iu} - 1: E[a, b, c] - E[0, 0, 0] telescopes, so that nothing cancels near 0.
inline LongComplex meanMinus1Of(LongComplex a, LongComplex b, LongComplex c) {
  if (std::abs(a) + std::abs(b) + std::abs(c) > 1)
    return meanOf(a, b, c) - 1.0L;
  return -2.0L * (a * dividedDifference<4>({a, b, c, 0}) + b * dividedDifference<4>({b, c, 0, 0}) +
                  c * dividedDifference<4>({c, 0, 0, 0}));
}

/// Mean of e^{iu}, or of e^{iu} - 1, over an edge with phases a and b at its ends: -i E[a, b], and
/// its telescope.
inline LongComplex meanOfEdge(LongComplex a, LongComplex b, bool minusOne) {
  const LongComplex over(0, -1);
  if (!minusOne || std::abs(a) + std::abs(b) > 1)
    return over * dividedDifference<2>({a, b}) - (minusOne ? 1.0L : 0.0L);
  return over * (a * dividedDifference<3>({a, b, 0}) + b * dividedDifference<3>({b, 0, 0}));
}

/// The integral of e^{i q.r} over the tetrahedron of a corner at the origin and three others:
/// 6 V i E[0, u_1, u_2, u_3], V signed.
inline LongComplex tetrahedronOf(const LongVector &q, const LongVector &a, const LongVector &b,
                                 const LongVector &c) {
  const LongVector bc = {b[1] * c[2] - b[2] * c[1], b[2] * c[0] - b[0] * c[2],
                         b[0] * c[1] - b[1] * c[0]};
  return dotOf(a, bc) * LongComplex(0, 1) *
         dividedDifference<4>({LongComplex(0), dotOf(q, a), dotOf(q, b), dotOf(q, c)});
}

/// The transform of the solid inside a closed mesh, as tetrahedra from the origin (which lies
/// inside, so that nothing cancels).
template <class Q, class Mesh> LongComplex solidOf(const Q &q, const Mesh &mesh) {
  LongComplex sum = 0;
  for (const Triangle &t : mesh)
    sum += tetrahedronOf(wide3(q), wide3(t.vertex0), wide3(t.vertex1), wide3(t.vertex2));
  return sum;
}

inline LongComplex sincOf(LongComplex u) {
  return std::abs(u) < 1e-5L ? 1.0L - u * u / 6.0L : std::sin(u) / u;
}

/// The box [corner, corner + size]: the product of three sincs.
template <class Q> LongComplex boxOf(const Q &q, vec3 size, vec3 corner) {
  const LongVector k = wide3(q), s = wide3(size), c = wide3(corner);
  LongComplex f = 1;
  for (std::size_t n = 0; n < 3; ++n)
    f *= s[n] * sincOf(k[n] * s[n] / 2.0L) *
         std::exp(LongComplex(0, 1) * k[n] * (c[n] + s[n] / 2.0L));
  return f;
}

/// The ball of the radius given about the origin, |q| R not tiny.
inline Long ballOf(Long q, Long radius) {
  const Long x = q * radius;
  return 4 * std::acos(-1.0L) * radius * radius * radius * (std::sin(x) - x * std::cos(x)) /
         (x * x * x);
}

} // namespace test
FACET_LANGUAGE_END
