// dwba.cpp - four channels from two waves, and what multiplies their sum.
#include "runtime/experiment/physics/dwba.h"
#include <cmath>
#include <numbers>

namespace facet::runtime {

Channels channels(const Wave &in, const Wave &out) {
  const auto &a = in.kz, &b = out.kz;
  return {{{-a - b, in.transmitted * out.transmitted},
           {-a + b, in.transmitted * out.reflected},
           {a - b, in.reflected * out.transmitted},
           {a + b, in.reflected * out.reflected}}};
}

std::array<double, 2> lateral(const Stack &stack, double k, double alphaI, double alphaF,
                              double phiF) {
  // cos ai - cos af cos phi, without the cancellation of 1 - 1.
  const double half = std::sin(phiF / 2);
  const double x = 2 * std::sin((alphaF + alphaI) / 2) * std::sin((alphaF - alphaI) / 2) +
                   2 * std::cos(alphaF) * half * half;
  const double inTop = k * (1 - stack.layers[0].delta);
  return {inTop * x, -inTop * std::cos(alphaF) * std::sin(phiF)};
}

std::complex<double> contrast(const Medium &layer, double k, double delta, double beta) {
  Medium particle;
  particle.delta = delta, particle.beta = beta;
  return k * k / (4 * std::numbers::pi) * indexStep(layer, particle);
}

} // namespace facet::runtime
