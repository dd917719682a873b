// layers.cpp - checks of a sample's layers, and of where a particle lies in them; Parratt's recursion
// up the stack, amplitudes down it; four channels from two waves, and what multiplies their sum.
#include "runtime/experiment/physics/layers.h"
#include <algorithm>
#include <cmath>
#include <facet/runtime/error.h>
#include <fmt/format.h>
#include <limits>
#include <numbers>

namespace facet::runtime {
namespace {

void checkLayer(const Stack &stack, std::size_t l, const std::string &where) {
  const Layer &m = stack.layers[l];
  const std::string here = where + ": " + stack.title(l);
  checkIndex(m.delta, m.beta, here);
  const bool inner = !stack.isTop(l) && !stack.isSubstrate(l);
  if (inner && !(m.thickness > 0 && std::isfinite(m.thickness)))
    throw Error(here, fmt::format("a thickness of {} nm", m.thickness),
                "layers between the top and the substrate have a thickness above 0, in nm");
  if (!inner && m.thickness != 0)
    throw Error(here, fmt::format("a thickness of {} nm for a half-space", m.thickness),
                "the first and the last layer have no end: leave their thickness out");
  if (!(m.roughness >= 0 && std::isfinite(m.roughness)))
    throw Error(here, fmt::format("a roughness of {} nm", m.roughness),
                "the rms roughness of a layer's top is 0 or more, in nm");
  if (stack.isTop(l) && m.roughness > 0)
    throw Error(here, "a roughness, but nothing lies above it",
                "roughness is that of a layer's top: give it to the layer below");
}

} // namespace

double Stack::lowest(std::size_t layer) const {
  if (isSubstrate(layer))
    return -std::numeric_limits<double>::infinity();
  return isTop(layer) ? 0.0 : -layers[layer].thickness;
}

std::string Stack::title(std::size_t layer) const {
  const std::string &name = layers[layer].name;
  return name.empty() ? fmt::format("layer {} of {}", layer + 1, layers.size())
                      : fmt::format("layer '{}'", name);
}

std::complex<double> indexStep(const Layer &a, const Layer &b) {
  const std::complex<double> step(a.delta - b.delta, b.beta - a.beta);
  return step * std::complex<double>(2 - a.delta - b.delta, a.beta + b.beta);
}

void checkIndex(double delta, double beta, const std::string &where) {
  const std::string help = "n = 1 - delta + i beta; give delta and beta as positive numbers";
  if (beta < 0)
    throw Error(where,
                fmt::format("beta is {}: facet wants beta > 0 for what absorbs, whatever the "
                            "convention of the table it comes from",
                            beta),
                help);
  if (!std::isfinite(beta))
    throw Error(where, fmt::format("beta is {}", beta), help);
  if (!(delta >= 0 && delta < 1))
    throw Error(where, fmt::format("delta is {}, not between 0 and 1", delta), help);
}

void check(const Stack &stack, const std::string &where) {
  if (stack.layers.empty())
    throw Error(where, "no layers", "give them from top to bottom, half-spaces first and last");
  for (std::size_t l = 0; l < stack.layers.size(); ++l)
    checkLayer(stack, l, where);
  if (stack.layers.size() > 1 && stack.layers[0].beta > 0)
    throw Error(where + ": " + stack.title(0), "absorbs, but the beam comes through it from afar",
                "give the top layer beta = 0");
}

std::size_t findLayer(const Stack &stack, const std::string &name, const std::string &where) {
  if (name.empty())
    return 0;
  std::vector<std::string> names;
  for (std::size_t l = 0; l < stack.layers.size(); ++l) {
    if (stack.layers[l].name == name)
      return l;
    names.push_back(stack.layers[l].name);
  }
  const std::string near = nearest(name, names);
  throw Error(where, fmt::format("no layer '{}'", name),
              near.empty() ? fmt::format("the layers are: {}", fmt::join(names, ", "))
                           : fmt::format("did you mean '{}'?", near));
}

void checkInside(const Stack &stack, std::size_t layer, double low, double high,
                 const std::string &where) {
  // What rounding moves a particle that stands on an interface is no crossing.
  const double slack = 1e-9 * std::max({1.0, std::abs(low), std::abs(high)});
  const double below = stack.lowest(layer) - low, above = stack.isTop(layer) ? -HUGE_VAL : high;
  if (!(low <= high))
    throw Error(where, fmt::format("it reaches from {} to {} nm", low, high));
  if (below <= slack && above <= slack)
    return;
  const std::size_t upper = below > slack ? layer : layer - 1;
  const double depth = below > slack ? below : above;
  throw Error(where,
              fmt::format("crosses the interface between {} and {} by {:.4g} nm",
                          stack.title(upper), stack.title(upper + 1), depth),
              fmt::format("a particle has to lie within one layer: {} needs {:.4g} nm of height{}",
                          stack.title(layer), high - low,
                          below > slack && above > slack ? ", more than it has" : ""));
}

namespace {

using Complex = std::complex<double>;
constexpr Complex i(0, 1);

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
std::vector<LayerWave> solve(const Stack &stack, double k, double alpha, std::size_t last) {
  if (!(alpha >= 0 && alpha <= std::numbers::pi / 2))
    throw Error("waves in layers", fmt::format("an angle of {} rad from the surface", alpha),
                "angles are from 0 to pi/2; below the horizon there is no wave to compute");
  const std::size_t n = stack.layers.size();
  std::vector<LayerWave> layers(n);
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
  for (const LayerWave &layer : solve(stack, k, alpha, stack.layers.size() - 1))
    all.push_back(layer.at(0));
  return all;
}

Wave LayerWave::at(double height) const {
  if (kz.imag() == 0 && thickness == 0) { // as above every sample: one phase, no damping
    const Complex wave(std::cos(kz.real() * height), std::sin(kz.real() * height));
    return {kz, transmitted * std::conj(wave), ratio * transmitted * wave};
  }
  const Complex down = transmitted * std::exp(-i * kz * height);
  const Complex up = ratio * transmitted * std::exp(i * kz * (2 * thickness + height));
  return {kz, down, up};
}

LayerWave layerWave(const Stack &stack, std::size_t layer, double k, double alpha) {
  return solve(stack, k, alpha, layer)[layer];
}

Wave waveAt(const Stack &stack, std::size_t layer, double height, double k, double alpha) {
  return layerWave(stack, layer, k, alpha).at(height);
}

std::vector<Complex> field(const Stack &stack, double k, double alpha,
                           const std::vector<double> &heights) {
  const std::vector<LayerWave> layers = solve(stack, k, alpha, stack.layers.size() - 1);
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
