// dwba.cpp - Parratt's recursion up the stack, amplitudes down it; four channels from two waves, and
// what multiplies their sum.
#include "runtime/experiment/physics/dwba.h"
#include <cmath>
#include <facet/runtime/error.h>
#include <fmt/format.h>
#include <numbers>

namespace facet::runtime {
namespace {

using Complex = std::complex<double>;
constexpr Complex i(0, 1);

// A wave by what does not overflow: the transmitted amplitude at the layer's top, and the ratio of
// reflected to transmitted at its bottom.
struct Solved {
  Complex kz, transmitted = 1, ratio = 0;
  double thickness = 0;

  Wave at(double height) const {
    const Complex down = transmitted * std::exp(-i * kz * height);
    const Complex up = ratio * transmitted * std::exp(i * kz * (2 * thickness + height));
    return {kz, down, up};
  }
};

// kz^2 = k^2 (n_l^2 - n_0^2 cos^2 alpha), sorted so that small angles and small deltas keep their
// digits.
Complex verticalWave(const Stack &stack, std::size_t layer, double k, double alpha) {
  const Layer &top = stack.layers[0];
  const Complex n0(1 - top.delta, top.beta), normal = n0 * std::sin(alpha);
  if (layer == 0)
    return k * normal;
  Complex kz = k * std::sqrt(normal * normal + indexStep(top, stack.layers[layer]));
  if (kz.imag() < 0)
    kz = -kz;
  // At its critical angle a layer without absorption has kz = 0: T and R are infinite and opposite
  // there, only their sum is not. psi is even in kz, so this little costs (kz d)^2, below 1e-9.
  const bool inner = !stack.isSubstrate(layer);
  return inner && std::abs(kz) < 1e-9 * k ? Complex(1e-9 * k) : kz;
}

struct Interface {
  Complex r = 0, t = 1;
};

Interface interface(const Complex &above, const Complex &below, double roughness) {
  const Complex sum = above + below, difference = above - below;
  if (sum == 0.0) // equal media at alpha = 0
    return {};
  const double s2 = roughness * roughness;
  return {difference / sum * std::exp(-2.0 * above * below * s2),
          2.0 * above / sum * std::exp(difference * difference * s2 / 2.0)};
}

// All layers down to `last`; reflections come from below it, too.
std::vector<Solved> solve(const Stack &stack, double k, double alpha, std::size_t last) {
  if (!(alpha >= 0 && alpha <= std::numbers::pi / 2))
    throw Error("waves in layers", fmt::format("an angle of {} rad from the surface", alpha),
                "angles are from 0 to pi/2; below the horizon there is no wave to compute");
  const std::size_t n = stack.layers.size();
  std::vector<Solved> layers(n);
  std::vector<Complex> reflection(n); // at the top of a layer, beside its transmitted wave
  for (std::size_t l = 0; l < n; ++l) {
    layers[l].kz = verticalWave(stack, l, k, alpha);
    layers[l].thickness = stack.layers[l].thickness;
  }
  std::vector<Interface> faces(n);
  for (std::size_t l = n - 1; l-- > 0;) {
    faces[l] = interface(layers[l].kz, layers[l + 1].kz, stack.layers[l + 1].roughness);
    const Complex &r = faces[l].r, &below = reflection[l + 1];
    layers[l].ratio = (r + below) / (1.0 + r * below);
    reflection[l] = layers[l].ratio * std::exp(2.0 * i * layers[l].kz * layers[l].thickness);
  }
  for (std::size_t l = 0; l < last; ++l)
    layers[l + 1].transmitted = layers[l].transmitted *
                                std::exp(i * layers[l].kz * layers[l].thickness) * faces[l].t /
                                (1.0 + faces[l].r * reflection[l + 1]);
  return layers;
}

} // namespace

std::vector<Wave> waves(const Stack &stack, double k, double alpha) {
  std::vector<Wave> all;
  for (const Solved &layer : solve(stack, k, alpha, stack.layers.size() - 1))
    all.push_back(layer.at(0));
  return all;
}

Wave waveAt(const Stack &stack, std::size_t layer, double height, double k, double alpha) {
  return solve(stack, k, alpha, layer)[layer].at(height);
}

std::vector<Complex> field(const Stack &stack, double k, double alpha,
                           const std::vector<double> &heights) {
  const std::vector<Solved> layers = solve(stack, k, alpha, stack.layers.size() - 1);
  std::vector<Complex> psi;
  psi.reserve(heights.size());
  for (const double height : heights) {
    std::size_t l = 0;
    double below = height; // from the top of layer l
    for (; !stack.isSubstrate(l) && below <= stack.lowest(l); ++l)
      below -= stack.lowest(l);
    const Wave wave = layers[l].at(below);
    psi.push_back(wave.transmitted + wave.reflected);
  }
  return psi;
}

double transmittance(const std::vector<Wave> &waves) {
  const double in = waves.front().kz.real();
  return in > 0 ? waves.back().kz.real() / in * std::norm(waves.back().transmitted) : 0;
}

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

std::complex<double> contrast(const Layer &layer, double k, double delta, double beta) {
  return k * k / (4 * std::numbers::pi) * indexStep(layer, {{}, 0, delta, beta});
}

} // namespace facet::runtime
