// phases.h - cis, exp and range of blocks of numbers.
#pragma once
#include <cstdint>

namespace facet::runtime {

/// re, im = cos and sin of each phase (radians); to 4 units in the last place.
void cisOf(const double *phase, double *re, double *im, std::int64_t n);
/// out = e^value.
void expOf(const double *value, double *out, std::int64_t n);

/// The least and the largest of n finite numbers, n > 0.
void rangeOf(const double *values, std::int64_t n, double &low, double &high);

} // namespace facet::runtime
