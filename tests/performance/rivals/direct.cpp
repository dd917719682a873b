// direct.cpp - the rival, compiled once for this CPU and once for AVX2 (RIVAL names which).
#include "direct.h"
#include <cmath>

#define JOIN2(a, b) a##_##b
#define JOIN(a, b) JOIN2(a, b)

namespace facet::rivals {
namespace {
constexpr int Buffer = 512;
}

void JOIN(real, RIVAL)(const Mesh &m, int n, const double *x, const double *y, const double *z,
                       const double *, double *re, double *im) {
  float phase[Buffer], w[Buffer], c[Buffer], s[Buffer];
  for (int p = 0; p < n; ++p) {
    const float qx = static_cast<float>(x[p]), qy = static_cast<float>(y[p]),
                qz = static_cast<float>(z[p]);
    double sumRe = 0, sumIm = 0;
    for (int begin = 0; begin < m.count; begin += Buffer) {
      const int k = m.count - begin < Buffer ? m.count - begin : Buffer;
      for (int t = 0; t < k; ++t) {
        phase[t] = qx * m.cx[begin + t] + qy * m.cy[begin + t] + qz * m.cz[begin + t];
        w[t] = qx * m.wx[begin + t] + qy * m.wy[begin + t] + qz * m.wz[begin + t];
      }
      for (int t = 0; t < k; ++t)
        c[t] = std::cos(phase[t]);
      for (int t = 0; t < k; ++t)
        s[t] = std::sin(phase[t]);
      float a = 0, b = 0;
      for (int t = 0; t < k; ++t) {
        a += w[t] * c[t];
        b += w[t] * s[t];
      }
      sumRe += a;
      sumIm += b;
    }
    re[p] = sumRe;
    im[p] = sumIm;
  }
}

void JOIN(complex, RIVAL)(const Mesh &m, int n, const double *x, const double *y, const double *z,
                          const double *zi, double *re, double *im) {
  float phase[Buffer], w[Buffer], v[Buffer], c[Buffer], s[Buffer], e[Buffer];
  for (int p = 0; p < n; ++p) {
    const float qx = static_cast<float>(x[p]), qy = static_cast<float>(y[p]),
                qz = static_cast<float>(z[p]), qi = static_cast<float>(zi[p]);
    double sumRe = 0, sumIm = 0;
    for (int begin = 0; begin < m.count; begin += Buffer) {
      const int k = m.count - begin < Buffer ? m.count - begin : Buffer;
      for (int t = 0; t < k; ++t) {
        phase[t] = qx * m.cx[begin + t] + qy * m.cy[begin + t] + qz * m.cz[begin + t];
        w[t] = qx * m.wx[begin + t] + qy * m.wy[begin + t] + qz * m.wz[begin + t];
        v[t] = qi * m.wz[begin + t];
      }
      for (int t = 0; t < k; ++t)
        c[t] = std::cos(phase[t]);
      for (int t = 0; t < k; ++t)
        s[t] = std::sin(phase[t]);
      for (int t = 0; t < k; ++t)
        e[t] = std::exp(-qi * m.cz[begin + t]);
      float a = 0, b = 0;
      for (int t = 0; t < k; ++t) {
        a += e[t] * (w[t] * c[t] - v[t] * s[t]);
        b += e[t] * (w[t] * s[t] + v[t] * c[t]);
      }
      sumRe += a;
      sumIm += b;
    }
    re[p] = sumRe;
    im[p] = sumIm;
  }
}

} // namespace facet::rivals
