// samples.h - samples and particles of the check values of docs/experiments.md.
#pragma once
#include "runtime/scattering/sample/layers.h"
#include <cmath>
#include <gtest/gtest.h>
#include <numbers>

namespace facet::test {
using namespace facet::runtime;
using Complex = std::complex<double>;

constexpr double degree = std::numbers::pi / 180;
constexpr double k = 2 * std::numbers::pi / 0.124; // nm^-1

inline Stack silicon() { return {{{"vacuum", 0, 0, 0, 0}, {"Si", 0, 4.8857e-6, 7.391e-8, 0}}}; }
inline Stack film(double thickness, double delta, double beta) {
  Stack stack = silicon();
  stack.layers.insert(stack.layers.begin() + 1, {"film", thickness, delta, beta, 0});
  return stack;
}
inline Stack twoFilms() {
  Stack stack = film(25, 1e-5, 1e-7);
  stack.layers.insert(stack.layers.begin() + 2, {"lower", 40, 2.35e-6, 1.9e-9, 0});
  return stack;
}

inline Wave waveAt(const Stack &stack, std::size_t layer, double height, double k, double alpha) {
  return layerWave(stack, layer, k, alpha).at(height);
}

inline double reflectivity(const Stack &stack, double k, double alpha) {
  return std::norm(waveAt(stack, 0, 0, k, alpha).reflected);
}

/// The channels of a particle from the two waves.
inline Channels above(const Stack &stack, std::size_t layer, double height, double alphaI,
                      double alphaF) {
  return channels(waveAt(stack, layer, height, k, alphaI), waveAt(stack, layer, height, k, alphaF));
}

/// F of the box 20 x 30 x 10 nm^3, centred.
inline Complex box(const std::array<double, 2> &q, const Complex &qz) {
  const auto side = [](const Complex &wave, double size) {
    const Complex x = wave * size / 2.0;
    return x == 0.0 ? Complex(size) : size * std::sin(x) / x;
  };
  return side(q[0], 20) * side(q[1], 30) * side(qz, 10);
}

/// The four terms of the box in a layer, its centre at `height`, angles in degrees.
inline std::array<Complex, 4> boxTerms(const Stack &stack, std::size_t layer, double height,
                                       double alphaI, double alphaF, double phi) {
  const auto q = lateral(stack, k, alphaI * degree, alphaF * degree, phi * degree);
  const auto all = above(stack, layer, height, alphaI * degree, alphaF * degree);
  std::array<Complex, 4> terms;
  for (std::size_t c = 0; c < 4; ++c)
    terms[c] = all[c].factor * box(q, all[c].qz);
  return terms;
}

inline double intensity(const std::array<Complex, 4> &terms) {
  return std::norm(terms[0] + terms[1] + terms[2] + terms[3]);
}

/// |is - wanted| <= relative |wanted|.
#define EXPECT_IS(is, wanted, relative)                                                            \
  EXPECT_LE(std::abs((is) - (wanted)), (relative) * std::abs(wanted)) << (is) << " and " << (wanted)

} // namespace facet::test
