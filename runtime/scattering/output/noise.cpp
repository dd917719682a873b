// noise.cpp - uniform numbers by hashing seed, image, pixel and a counter; Poisson's distribution
// by products of them for small means, else by transformed rejection.
#include "runtime/scattering/output/noise.h"
#include <cmath>

namespace facet::runtime {
namespace {

/// SplitMix64 (G. L. Steele, D. Lea, C. H. Flood, OOPSLA 2014): the step and the mixing.
constexpr std::uint64_t step = 0x9e3779b97f4a7c15;
std::uint64_t mixed(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

/// Numbers above 0 and below 1.
class Uniform {
public:
  Uniform(std::uint64_t seed, std::uint64_t image, std::uint64_t pixel)
      : state_(mixed(mixed(mixed(seed + step) + image + step) + pixel + step)) {}
  double next() {
    state_ += step;
    return (static_cast<double>(mixed(state_) >> 12) + 0.5) * 0x1p-52;
  }

private:
  std::uint64_t state_;
};

double byProducts(double mean, Uniform &uniform) {
  const double end = std::exp(-mean);
  double count = 0;
  for (double product = uniform.next(); product > end; product *= uniform.next())
    ++count;
  return count;
}

/// PTRS by W. Hormann, Insurance: Mathematics and Economics 12 (1993) 39.
double byRejection(double mean, Uniform &uniform) {
  const double b = 0.931 + 2.53 * std::sqrt(mean), a = -0.059 + 0.02483 * b;
  const double inverse = 1.1239 + 1.1328 / (b - 3.4), taken = 0.9277 - 3.6224 / (b - 2);
  while (true) {
    const double u = uniform.next() - 0.5, v = uniform.next(), us = 0.5 - std::abs(u);
    const double count = std::floor((2 * a / us + b) * u + mean + 0.43);
    if (us >= 0.07 && v <= taken)
      return count;
    if (count < 0 || (us < 0.013 && v > us))
      continue;
    if (std::log(v * inverse / (a / (us * us) + b)) <=
        count * std::log(mean) - mean - std::lgamma(count + 1))
      return count;
  }
}

} // namespace

double poisson(double mean, std::uint64_t seed, std::uint64_t image, std::uint64_t pixel) {
  constexpr double small = 10;
  Uniform uniform(seed, image, pixel);
  if (!(mean > 0) || std::isinf(mean))
    return mean;
  return mean < small ? byProducts(mean, uniform) : byRejection(mean, uniform);
}

} // namespace facet::runtime
