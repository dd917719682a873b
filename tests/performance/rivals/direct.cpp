// direct.cpp - the rival, compiled once for this CPU and once for AVX2 (RIVAL names which).
#include "rivals.h"
#include <cmath>

#define JOIN2(a, b) a##_##b
#define JOIN(a, b) JOIN2(a, b)

namespace facet::rivals {
namespace {

constexpr int Buffer = 512;

template <bool Complex> void sum(const Columns<float> &m, Points &q) {
  const float *wx = m.w[0].data(), *wy = m.w[1].data(), *wz = m.w[2].data();
  const float *cx = m.c[0].data(), *cy = m.c[1].data(), *cz = m.c[2].data();
  const int count = static_cast<int>(m.c[0].size());
  float phase[Buffer], w[Buffer], v[Buffer], c[Buffer], s[Buffer], e[Buffer];
  for (std::size_t p = 0; p < q.x.size(); ++p) {
    const float qx = static_cast<float>(q.x[p]), qy = static_cast<float>(q.y[p]),
                qz = static_cast<float>(q.z[p]), qi = Complex ? static_cast<float>(q.zi[p]) : 0;
    double sumRe = 0, sumIm = 0;
    for (int begin = 0; begin < count; begin += Buffer) {
      const int k = count - begin < Buffer ? count - begin : Buffer;
      for (int t = 0; t < k; ++t) {
        phase[t] = qx * cx[begin + t] + qy * cy[begin + t] + qz * cz[begin + t];
        w[t] = qx * wx[begin + t] + qy * wy[begin + t] + qz * wz[begin + t];
        if constexpr (Complex)
          v[t] = qi * wz[begin + t];
      }
      for (int t = 0; t < k; ++t)
        c[t] = std::cos(phase[t]);
      for (int t = 0; t < k; ++t)
        s[t] = std::sin(phase[t]);
      float a = 0, b = 0;
      if constexpr (Complex) {
        for (int t = 0; t < k; ++t)
          e[t] = std::exp(-qi * cz[begin + t]);
        for (int t = 0; t < k; ++t) {
          a += e[t] * (w[t] * c[t] - v[t] * s[t]);
          b += e[t] * (w[t] * s[t] + v[t] * c[t]);
        }
      } else
        for (int t = 0; t < k; ++t) {
          a += w[t] * c[t];
          b += w[t] * s[t];
        }
      sumRe += a;
      sumIm += b;
    }
    q.re[p] = sumRe;
    q.im[p] = sumIm;
  }
}

} // namespace

void JOIN(real, RIVAL)(const Columns<float> &m, Points &q) { sum<false>(m, q); }
void JOIN(complex, RIVAL)(const Columns<float> &m, Points &q) { sum<true>(m, q); }

} // namespace facet::rivals
