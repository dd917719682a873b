// peak.cpp - measures fused multiply-adds: sixteen chains, so that none waits for itself.
#include "bench.h"
#include <immintrin.h>

namespace facet::bench {
namespace {

constexpr int Rounds = 100000; // about 0.3 ms

// Twelve or sixteen chains cover the latency of four or five clocks on two units.
#define FACET_CHAINS(name, features, Vector, set1, fmadd, chains)                                  \
  __attribute__((target(features), noinline)) double name() {                                      \
    Vector sum[chains];                                                                            \
    const Vector factor = set1(0.999F);                                                            \
    for (int i = 0; i < (chains); ++i)                                                             \
      sum[i] = set1(static_cast<float>(i));                                                        \
    for (int k = 0; k < Rounds; ++k) {                                                             \
      _Pragma("GCC unroll 16") for (int i = 0; i < (chains); ++i) sum[i] =                         \
          fmadd(sum[i], factor, factor);                                                           \
    }                                                                                              \
    double all = 0;                                                                                \
    for (int i = 0; i < (chains); ++i)                                                             \
      all += sum[i][0];                                                                            \
    return all;                                                                                    \
  }
FACET_CHAINS(float32, "avx2,fma", __m256, _mm256_set1_ps, _mm256_fmadd_ps, 12)
FACET_CHAINS(double32, "avx2,fma", __m256d, _mm256_set1_pd, _mm256_fmadd_pd, 12)
FACET_CHAINS(float64, "avx512f", __m512, _mm512_set1_ps, _mm512_fmadd_ps, 16)
FACET_CHAINS(double64, "avx512f", __m512d, _mm512_set1_pd, _mm512_fmadd_pd, 16)
#undef FACET_CHAINS

} // namespace

double fusedMultiplyAdds(int bytes, bool isDouble) {
  [[maybe_unused]] static volatile double used;
  const bool wide = bytes == 64;
  const auto run = wide ? (isDouble ? double64 : float64) : (isDouble ? double32 : float32);
  const double work = static_cast<double>(Rounds) * (wide ? 16 : 12) * bytes / (isDouble ? 8 : 4);
  double best = 0;
  for (int i = 0; i < 12; ++i) {
    const double start = now();
    used = run();
    best = std::max(best, work / (now() - start));
  }
  return best;
}

} // namespace facet::bench
