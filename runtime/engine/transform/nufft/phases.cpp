// phases.cpp - loops over cos, sin, exp, comparisons and products, compiled so that the compiler
// makes vector code of them. Those of libmvec err by up to 4 units in the last place.
#include "runtime/engine/transform/nufft/clones.h"
#include "runtime/engine/transform/nufft/layout.h"
#include <cmath>

namespace facet::runtime {

FACET_CLONES void cisOf(const double *phase, double *re, double *im, std::int64_t n) {
  // Two loops: cos and sin of one number in one loop become a call of sincos, which has no vector
  // form here.
  for (std::int64_t i = 0; i < n; ++i)
    re[i] = std::cos(phase[i]);
  for (std::int64_t i = 0; i < n; ++i)
    im[i] = std::sin(phase[i]);
}

FACET_CLONES void expOf(const double *value, double *out, std::int64_t n) {
  for (std::int64_t i = 0; i < n; ++i)
    out[i] = std::exp(value[i]);
}

FACET_CLONES void rangeOf(const double *values, std::int64_t n, double &low, double &high) {
  double least = values[0], most = values[0];
  for (std::int64_t i = 0; i < n; ++i) {
    least = values[i] < least ? values[i] : least;
    most = values[i] > most ? values[i] : most;
  }
  low = least, high = most;
}

FACET_CLONES double largestOf(const double *values, std::int64_t n) {
  double most = 0;
  for (std::int64_t i = 0; i < n; ++i) {
    const double size = std::abs(values[i]);
    most = size > most ? size : most;
  }
  return most;
}

#define FACET_CORRECTED(From, To)                                                                  \
  FACET_CLONES void correctedOf(const From *from, const double *by, double factor, To *to,         \
                                std::int64_t n) {                                                  \
    for (std::int64_t i = 0; i < n; ++i) {                                                         \
      to[2 * i] = static_cast<To>(factor * by[i] * from[2 * i]);                                   \
      to[2 * i + 1] = static_cast<To>(factor * by[i] * from[2 * i + 1]);                           \
    }                                                                                              \
  }
FACET_CORRECTED(float, float)
FACET_CORRECTED(float, double)
FACET_CORRECTED(double, float)
FACET_CORRECTED(double, double)
#undef FACET_CORRECTED

} // namespace facet::runtime
