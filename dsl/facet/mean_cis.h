// mean_cis.h - the mean of e^{iu} over a flat triangle, or an edge, from the phases of its corners.
//
// u is linear over the triangle, so the mean is a divided difference of the exponential
// (Hermite-Genocchi): mean = -2 E[a, b, c], E(u) = e^{iu}. Textbook formulas divide by products of
// differences and lose everything if two phases meet; here nothing small is ever divided by.
//
// With the mean phase m taken out (x = a - m, y = b - m, z = c - m, x + y + z = 0) mean = e^{im} G:
//
//   series      largest difference at most 1: G = 2 sum_k i^k h_k / (k + 2)!, h_k the complete
//               homogeneous symmetric polynomials: h_0 = 1, h_1 = 0, h_k = e3 h_{k-3} - e2 h_{k-2},
//               with e2 = xy + yz + zx and e3 = xyz (e1 = 0).
//               Terms fall fast: summed to k = 7 the rest is below 1e-8 (enough for f32), to
//               k = 14 below 6e-18 (f64), to k = 17 below 3e-22 (long double), for real and for
//               complex differences.
//   difference  beyond: G = -2 (E[y, z] - E[x, y]) / (z - x), (x, z) being the pair farthest
//               apart, so that the division costs at most a few units of rounding; and
//               E[x, y] = i e^{i(x+y)/2} sinc((y - x)/2) = i e^{-iz/2} sinc((y - x)/2) is exact for
//               any difference, none included.
//
// The same for complex phases, "largest" being by modulus. Written branch by select, since the
// expand pass emits these very steps as IR; both branches are finite wherever phases are.
// Sources: W. Kahan and R. Fateman, symbolic computation of divided differences (1985), for the two
// forms; errors measured in tests/unit/dsl/mean_cis.cpp.
#pragma once
#include "cplx.h"

FACET_LANGUAGE_BEGIN

namespace detail {

inline constexpr real mean_cis_threshold = 1; // of the largest |difference| of two phases, radians
// The last k of the series.
inline constexpr int mean_cis_last = sizeof(real) > sizeof(double)    ? 17
                                     : sizeof(real) == sizeof(double) ? 14
                                                                      : 7;

/// G - 1 and G from x, y, z with x + y + z = 0; Phase is real or cplx.
struct mean_parts {
  cplx g, g_minus_1;
};

template <class Phase> cplx mean_series_minus_1(Phase x, Phase y, Phase z) {
  const Phase e2 = x * y + (x + y) * z, e3 = x * y * z;
  Phase h[3] = {Phase(1), Phase(0), -e2}; // h_{k-3}, h_{k-2}, h_{k-1}
  Phase even = h[2] * (-real(1) / 12), odd = Phase(0);
  real weight = real(1) / 12; // 2 / (k + 2)!
  for (int k = 3; k <= mean_cis_last; ++k) {
    const Phase next = e3 * h[0] - e2 * h[1];
    weight = weight / (k + 2);
    const real signed_weight = k % 4 < 2 ? weight : -weight; // i^k
    if (k % 2 == 0)
      even = even + signed_weight * next;
    else
      odd = odd + signed_weight * next;
    h[0] = h[1], h[1] = h[2], h[2] = next;
  }
  return even + i * odd;
}

/// x and z the pair farthest apart, not equal.
template <class Phase> cplx mean_difference(Phase x, Phase y, Phase z) {
  const cplx yz = cis(-x / 2) * sinc((z - y) / 2), xy = cis(-z / 2) * sinc((y - x) / 2);
  return -2 * i * (yz - xy) / (z - x);
}

template <class Phase> mean_parts mean_of(Phase x, Phase y, Phase z) {
  const real xy = norm2(y - x), yz = norm2(z - y), zx = norm2(x - z);
  const real largest = max(xy, max(yz, zx));
  const bool near = largest <= mean_cis_threshold * mean_cis_threshold;
  // The mean is symmetric: name the corner between the farthest pair y.
  const bool middle_x = yz == largest, middle_z = !middle_x && xy == largest;
  const Phase first = select(middle_x, y, x), middle = select(middle_x, x, select(middle_z, z, y)),
              last = select(middle_z, y, z);
  const cplx series = mean_series_minus_1(x, y, z);
  if (near) // a select in IR: the other branch is computed too, and must not divide by zero
    return {1 + series, series};
  const cplx g = mean_difference(first, middle, last);
  return {g, g - 1};
}

template <class Phase> cplx mean_cis(Phase a, Phase b, Phase c) {
  const Phase to_b = b - a, to_c = c - a, x = -(to_b + to_c) / 3;
  return cis(a - x) * mean_of(x, x + to_b, x + to_c).g;
}

/// (e^{im} - 1) G + (G - 1).
template <class Phase> cplx mean_cism1(Phase a, Phase b, Phase c) {
  const Phase to_b = b - a, to_c = c - a, x = -(to_b + to_c) / 3;
  const mean_parts mean = mean_of(x, x + to_b, x + to_c);
  return cism1(a - x) * mean.g + mean.g_minus_1;
}

/// Twice the sum of i^k H_k / (k + 3)!, H_k the complete homogeneous symmetric polynomials of w, x,
/// y, z where x + y + z = 0 and w is one of them: H_k = h_k + w H_{k-1}.
template <class Phase> cplx mean_slope_series(Phase w, Phase x, Phase y, Phase z) {
  const Phase e2 = x * y + (x + y) * z, e3 = x * y * z;
  Phase h[3] = {Phase(0), Phase(0), Phase(1)}, all = Phase(1), even = Phase(real(1) / 3),
        odd = Phase(0);
  real weight = real(1) / 3; // 2 / (k + 3)!
  for (int k = 1; k <= mean_cis_last + 3; ++k) {
    const Phase next = e3 * h[0] - e2 * h[1];
    h[0] = h[1], h[1] = h[2], h[2] = next;
    all = next + w * all;
    weight = weight / (k + 3);
    const real signed_weight = k % 4 < 2 ? weight : -weight; // i^k
    if (k % 2 == 0)
      even = even + signed_weight * all;
    else
      odd = odd + signed_weight * all;
  }
  return even + i * odd;
}

/// E[x, x, y], E(u) = e^{iu}, exact for any difference: the derivative of E[x, y] by x.
template <class Phase> cplx confluent(Phase x, Phase y) {
  const Phase half = (y - x) / 2;
  return cis((x + y) / 2) * (-i * sinc_slope(half) - sinc(half)) / 2;
}

/// The mean of l e^{iu}, l the barycentric coordinate of corner x: 2 i E[x, x, y, z]. The pair
/// farthest apart is divided by.
template <class Phase> cplx mean_slope(Phase x, Phase y, Phase z) {
  const real xy = norm2(y - x), yz = norm2(z - y), zx = norm2(x - z);
  if (yz >= xy && yz >= zx)
    return 2 * i * (confluent(x, z) - confluent(x, y)) / (z - y);
  const bool turned = zx < xy; // name the corner farthest from x z
  const Phase last = turned ? y : z, middle = turned ? z : y;
  const cplx pair = cis((x + middle) / 2) * sinc((middle - x) / 2),
             other = cis((last + middle) / 2) * sinc((last - middle) / 2);
  const cplx all = i * (other - pair) / (last - x); // E[x, y, z]
  return 2 * i * (all - confluent(x, middle)) / (last - x);
}

template <class Phase> cvec3 mean_slopes(Phase a, Phase b, Phase c) {
  const Phase to_b = b - a, to_c = c - a, x = -(to_b + to_c) / 3, y = x + to_b, z = x + to_c;
  const cplx wave = cis(a - x);
  const real largest = max(norm2(y - x), max(norm2(z - y), norm2(x - z)));
  if (largest <= mean_cis_threshold * mean_cis_threshold)
    return wave * cvec3(mean_slope_series(x, x, y, z), mean_slope_series(y, x, y, z),
                        mean_slope_series(z, x, y, z));
  return wave * cvec3(mean_slope(x, y, z), mean_slope(y, z, x), mean_slope(z, x, y));
}

/// sin(z) / z - 1, exact near 0.
template <class Phase> Phase sinc_minus_1(Phase z) {
  if (norm2(z) > 1)
    return sinc(z) - 1;
  const Phase square = z * z;
  Phase sum = Phase(0);
  for (int k = 10; k > 0; --k) // the next term is below 1e-22
    sum = (1 + sum) * (-1 / (2 * k * (2 * real(k) + 1))) * square;
  return sum;
}

/// For complex phases sinc may overflow where the wave of the middle underflows. The waves of the
/// ends do not.
inline bool far_apart(cplx half) { return norm2(half) > 1; }
inline bool far_apart(real) { return false; }

template <class Phase> cplx mean_edge(Phase a, Phase b) {
  const Phase half = (b - a) / 2;
  return far_apart(half) ? (cis(b) - cis(a)) / (2 * i * half) : cis((a + b) / 2) * sinc(half);
}

template <class Phase> cplx mean_edge_m1(Phase a, Phase b) {
  const Phase half = (b - a) / 2;
  return far_apart(half) ? mean_edge(a, b) - 1
                         : cism1((a + b) / 2) * sinc(half) + sinc_minus_1(half);
}

} // namespace detail

/// The exact mean of e^{iu} over an edge whose ends have phases a and b (radians).
inline cplx mean_cis(real a, real b) { return detail::mean_edge(a, b); }
inline cplx mean_cis(cplx a, cplx b) { return detail::mean_edge(a, b); }

/// The exact mean of e^{iu} - 1 over an edge, exact near 0.
inline cplx mean_cism1(real a, real b) { return detail::mean_edge_m1(a, b); }
inline cplx mean_cism1(cplx a, cplx b) { return detail::mean_edge_m1(a, b); }

/// The exact mean of e^{iu} over a flat triangle whose corners have phases a, b, c (radians).
inline cplx mean_cis(real a, real b, real c) { return detail::mean_cis(a, b, c); }
inline cplx mean_cis(cplx a, cplx b, cplx c) { return detail::mean_cis(a, b, c); }

/// The exact mean of e^{iu} - 1, exact near 0.
inline cplx mean_cism1(real a, real b, real c) { return detail::mean_cism1(a, b, c); }
inline cplx mean_cism1(cplx a, cplx b, cplx c) { return detail::mean_cism1(a, b, c); }

/// The means of l e^{iu}, l the barycentric coordinate of each corner: the derivatives of mean_cis
/// by a, b and c are i times these. Their sum is the mean. Not for kernels: derivatives of kernels
/// are made with it.
inline cvec3 mean_slopes(real a, real b, real c) { return detail::mean_slopes(a, b, c); }
inline cvec3 mean_slopes(cplx a, cplx b, cplx c) { return detail::mean_slopes(a, b, c); }

FACET_LANGUAGE_END
