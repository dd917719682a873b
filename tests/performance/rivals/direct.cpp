// direct.cpp - the rivals, compiled once for this CPU and once for AVX2 (RIVAL names which).
#include "rivals.h"
#include <bit>
#include <cmath>
#include <cstdint>

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

/// Sine and cosine together, by the polynomials of Cephes about the nearest multiple of pi / 2.
inline void sineAndCosine(float x, float &sine, float &cosine) {
  const float k = std::nearbyint(x * 0.636619772f);
  float r = std::fma(k, -1.5703125f, x); // pi / 2 in three parts
  r = std::fma(k, -4.83751297e-4f, r);
  r = std::fma(k, -7.54978942e-8f, r);
  const float z = r * r;
  const float s = r + r * z * (-1.6666654611e-1f + z * (8.3321608736e-3f - z * 1.9515295891e-4f));
  const float c =
      1 - 0.5f * z +
      z * z * (4.166664568298827e-2f + z * (-1.388731625493765e-3f + z * 2.443315711809948e-5f));
  const auto quarter = static_cast<std::int32_t>(k);
  const float a = (quarter & 1) != 0 ? c : s, b = (quarter & 1) != 0 ? s : c;
  sine = std::bit_cast<float>(std::bit_cast<std::int32_t>(a) ^ ((quarter & 2) << 30));
  cosine = std::bit_cast<float>(std::bit_cast<std::int32_t>(b) ^ (((quarter + 1) & 2) << 30));
}

inline float exponential(float x) {
  const float k = std::nearbyint(x * 1.44269504f);
  const float r = std::fma(k, 2.12194440e-4f, std::fma(k, -0.693359375f, x));
  const float p =
      5.0000001201e-1f +
      r * (1.6666665459e-1f +
           r * (4.1665795894e-2f +
                r * (8.3334519073e-3f + r * (1.3981999507e-3f + r * 1.9875691500e-4f))));
  return (1 + r + r * r * p) * std::bit_cast<float>((static_cast<std::int32_t>(k) + 127) << 23);
}

/// All of a term in one loop over the records, Tile q at once.
template <bool Complex> void fused(const Columns<float> &m, Points &q) {
  constexpr std::size_t Tile = 4;
  const float *wx = m.w[0].data(), *wy = m.w[1].data(), *wz = m.w[2].data();
  const float *cx = m.c[0].data(), *cy = m.c[1].data(), *cz = m.c[2].data();
  const std::size_t count = m.c[0].size(), points = q.x.size();
  for (std::size_t p = 0; p < points; p += Tile) {
    float x[Tile], y[Tile], z[Tile], i[Tile];
    double re[Tile] = {}, im[Tile] = {};
    for (std::size_t k = 0; k < Tile; ++k) {
      const std::size_t at = p + k < points ? p + k : points - 1;
      x[k] = static_cast<float>(q.x[at]), y[k] = static_cast<float>(q.y[at]);
      z[k] = static_cast<float>(q.z[at]), i[k] = static_cast<float>(q.zi[at]);
    }
    for (std::size_t begin = 0; begin < count; begin += Buffer) {
      const std::size_t end = begin + Buffer < count ? begin + Buffer : count;
      float a[Tile] = {}, b[Tile] = {};
      for (std::size_t t = begin; t < end; ++t)
#pragma GCC unroll 4
        for (std::size_t k = 0; k < Tile; ++k) {
          float s, c;
          sineAndCosine(x[k] * cx[t] + y[k] * cy[t] + z[k] * cz[t], s, c);
          const float w = x[k] * wx[t] + y[k] * wy[t] + z[k] * wz[t];
          if constexpr (Complex) {
            const float e = exponential(-i[k] * cz[t]), v = i[k] * wz[t];
            a[k] += e * (w * c - v * s), b[k] += e * (w * s + v * c);
          } else
            a[k] += w * c, b[k] += w * s;
        }
      for (std::size_t k = 0; k < Tile; ++k)
        re[k] += a[k], im[k] += b[k];
    }
    for (std::size_t k = 0; k < Tile && p + k < points; ++k)
      q.re[p + k] = re[k], q.im[p + k] = im[k];
  }
}

} // namespace

void JOIN(fused_real, RIVAL)(const Columns<float> &m, Points &q) { fused<false>(m, q); }
void JOIN(fused_complex, RIVAL)(const Columns<float> &m, Points &q) { fused<true>(m, q); }
void JOIN(real, RIVAL)(const Columns<float> &m, Points &q) { sum<false>(m, q); }
void JOIN(complex, RIVAL)(const Columns<float> &m, Points &q) { sum<true>(m, q); }

} // namespace facet::rivals
