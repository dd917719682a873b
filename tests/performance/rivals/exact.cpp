// exact.cpp - the rival, compiled once for this CPU and once for AVX2 (RIVAL names which).
#include "rivals.h"
#include <algorithm>
#include <cmath>

#define JOIN2(a, b) a##_##b
#define JOIN(a, b) JOIN2(a, b)

namespace facet::rivals {
namespace {

/// As many records as keep the block's arrays in the first cache.
template <class Real> constexpr int Block = 2048 / static_cast<int>(sizeof(Real));
template <class Real> constexpr int LastOfSeries = sizeof(Real) == 4 ? 7 : 14;

/// G - 1 = 2 sum_k i^k h_k / (k + 2)! from k = 2, see <facet/mean_cis.h>; x + y + z = 0.
template <class Real> inline void series(Real x, Real y, Real z, Real &re, Real &im) {
  const Real e2 = x * y + (x + y) * z, e3 = x * y * z;
  Real h0 = 1, h1 = 0, h2 = -e2, weight = Real(1) / 12;
  re = -weight * h2;
  im = 0;
#pragma GCC unroll 16
  for (int k = 3; k <= LastOfSeries<Real>; ++k) {
    const Real next = e3 * h0 - e2 * h1;
    weight = weight / static_cast<Real>(k + 2);
    const Real add = k % 4 < 2 ? weight * next : -weight * next;
    (k % 2 == 0 ? re : im) += add;
    h0 = h1, h1 = h2, h2 = next;
  }
}

template <class Real>
void sum(const Columns<Real> &m, double x, const std::vector<double> &y,
         const std::vector<double> &z, double *re, double *im) {
  constexpr int K = Block<Real>;
  const int count = static_cast<int>(m.c[0].size()), nz = static_cast<int>(z.size()),
            points = nz * static_cast<int>(y.size());
  // Halves of phases: of the centroid, of the farthest pair less it, and of the two other edges.
  Real weight[K], mid[K], first[K], last[K], a[K], b[K], seriesRe[K], seriesIm[K], divisor[K];
  Real sinMid[K], cosMid[K], sinFirst[K], cosFirst[K], sinLast[K], cosLast[K], sinA[K], sinB[K];
  const Real qx = static_cast<Real>(x);
  for (int p = 0; p < points; ++p) {
    const Real qy = static_cast<Real>(y[p / nz]), qz = static_cast<Real>(z[p % nz]);
    double sumRe = 0, sumIm = 0;
    for (int begin = 0; begin < count; begin += K) {
      const int n = count - begin < K ? count - begin : K;
      const auto dot = [&](const std::array<std::vector<Real>, 3> &v, int t) {
        return qx * v[0][begin + t] + qy * v[1][begin + t] + qz * v[2][begin + t];
      };
      for (int t = 0; t < n; ++t) {
        weight[t] = dot(m.w, t);
        mid[t] = Real(0.5) * dot(m.c, t);
        const Real u = dot(m.first, t), v = dot(m.second, t), w = -(u + v);
        const Real uv = (v - u) * (v - u), vw = (w - v) * (w - v), wu = (u - w) * (u - w);
        const Real most = std::max(uv, std::max(vw, wu));
        // The corner between the farthest pair comes second.
        const bool middleU = vw >= most, middleW = !middleU && uv >= most;
        const Real one = middleU ? v : u,
                   two = middleU   ? u
                         : middleW ? w
                                   : v,
                   three = middleW ? v : w;
        series(u, v, w, seriesRe[t], seriesIm[t]);
        divisor[t] = most <= 1 ? Real(0) : three - one; // 0: the series
        first[t] = Real(-0.5) * one;
        last[t] = Real(-0.5) * three;
        a[t] = Real(0.5) * (three - two);
        b[t] = Real(0.5) * (two - one);
      }
      for (int t = 0; t < n; ++t)
        sinMid[t] = std::sin(mid[t]);
      for (int t = 0; t < n; ++t)
        cosMid[t] = std::cos(mid[t]);
      for (int t = 0; t < n; ++t)
        sinFirst[t] = std::sin(first[t]);
      for (int t = 0; t < n; ++t)
        cosFirst[t] = std::cos(first[t]);
      for (int t = 0; t < n; ++t)
        sinLast[t] = std::sin(last[t]);
      for (int t = 0; t < n; ++t)
        cosLast[t] = std::cos(last[t]);
      for (int t = 0; t < n; ++t)
        sinA[t] = std::sin(a[t]);
      for (int t = 0; t < n; ++t)
        sinB[t] = std::sin(b[t]);
      Real blockRe = 0, blockIm = 0;
      for (int t = 0; t < n; ++t) {
        const Real sincA = a[t] == 0 ? Real(1) : sinA[t] / (a[t] == 0 ? Real(1) : a[t]);
        const Real sincB = b[t] == 0 ? Real(1) : sinB[t] / (b[t] == 0 ? Real(1) : b[t]);
        const bool near = divisor[t] == 0;
        // -2 i (e^{i first} sinc a - e^{i last} sinc b) / divisor
        const Real scale = Real(2) / (near ? Real(1) : divisor[t]);
        const Real farRe = scale * (sinFirst[t] * sincA - sinLast[t] * sincB);
        const Real farIm = -scale * (cosFirst[t] * sincA - cosLast[t] * sincB);
        const Real less1 = near ? seriesRe[t] : farRe - 1, gIm = near ? seriesIm[t] : farIm;
        const Real gRe = near ? 1 + seriesRe[t] : farRe;
        // e^{im} - 1 = 2 i sin(m/2) e^{im/2}; mean = (e^{im} - 1) G + (G - 1)
        const Real waveRe = -2 * sinMid[t] * sinMid[t], waveIm = 2 * sinMid[t] * cosMid[t];
        blockRe += weight[t] * (waveRe * gRe - waveIm * gIm + less1);
        blockIm += weight[t] * (waveRe * gIm + waveIm * gRe + gIm);
      }
      sumRe += static_cast<double>(blockRe);
      sumIm += static_cast<double>(blockIm);
    }
    re[p] = sumRe;
    im[p] = sumIm;
  }
}

} // namespace

#define FACET_EXACT_RIVAL(Real)                                                                    \
  void JOIN(exact, RIVAL)(const Columns<Real> &m, double x, const std::vector<double> &y,          \
                          const std::vector<double> &z, double *re, double *im) {                  \
    sum<Real>(m, x, y, z, re, im);                                                                 \
  }
FACET_EXACT_RIVAL(float)
FACET_EXACT_RIVAL(double)

} // namespace facet::rivals
