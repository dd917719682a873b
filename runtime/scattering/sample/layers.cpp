// layers.cpp - checks of a sample's layers, and of where a particle lies in them. Parratt's
// recursion up the stack, amplitudes down it. Four channels from two waves, and what multiplies
// their sum. Formulas take any real number: double, or one with a slope (Dual).
#include "runtime/scattering/sample/layers.h"
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
  checkIndex(m.delta, m.beta, here, stack.neutrons ? -1 : 0);
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

double Stack::origin(std::size_t layer) const {
  double z = 0;
  for (std::size_t l = 1; l < layer; ++l)
    z -= layers[l].thickness;
  return z;
}

std::string Stack::title(std::size_t layer) const {
  const std::string &name = layers[layer].name;
  return name.empty() ? fmt::format("layer {} of {}", layer + 1, layers.size())
                      : fmt::format("layer '{}'", name);
}

void checkIndex(double delta, double beta, const std::string &where, double lowest) {
  const std::string help = "n = 1 - delta + i beta; give delta and beta as positive numbers";
  if (beta < 0)
    throw Error(where,
                fmt::format("beta is {}: facet wants beta > 0 for what absorbs, whatever the "
                            "convention of the table it comes from",
                            beta),
                help);
  if (!std::isfinite(beta))
    throw Error(where, fmt::format("beta is {}", beta), help);
  if (!(delta >= lowest && delta < 1))
    throw Error(where, fmt::format("delta is {}, not between {} and 1", delta, lowest), help);
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

bool isInside(const Stack &stack, std::size_t layer, double low, double high) {
  // A particle that stands on an interface does not cross it because of rounding.
  const double slack = 1e-9 * std::max({1.0, std::abs(low), std::abs(high)});
  return stack.lowest(layer) - low <= slack && (stack.isTop(layer) || high <= slack);
}

namespace {

using std::cos, std::exp, std::sin, std::sqrt;
using Complex = std::complex<double>;
constexpr Complex i(0, 1);

/// The numbers of a layer.
template <class Real> struct Medium {
  Real delta, beta, thickness = 0, roughness = 0;
};
Medium<double> mediumOf(const Layer &m) { return {m.delta, m.beta, m.thickness, m.roughness}; }
Medium<DualReal> mediumOf(const Layer &m, const Layer &by) {
  return {{m.delta, by.delta},
          {m.beta, by.beta},
          {m.thickness, by.thickness},
          {m.roughness, by.roughness}};
}

/// The layers of a stack.
struct Constants {
  using Real = double;
  const Stack &stack;
  Medium<double> operator[](std::size_t l) const { return mediumOf(stack.layers[l]); }
};
/// The layers with their slopes; half-spaces keep their thickness of 0.
struct DualStack {
  using Real = DualReal;
  const Stack &stack;
  const Stack &change;
  DualStack(const Stack &of, const Stack &by) : stack(of), change(by) {
    if (by.layers.size() != of.layers.size())
      throw Error("waves in layers",
                  fmt::format("{} layers change, and the sample has {}", by.layers.size(),
                              of.layers.size()),
                  "give what each layer changes by, 0 if it does not");
  }
  Medium<DualReal> operator[](std::size_t l) const {
    Medium<DualReal> medium = mediumOf(stack.layers[l], change.layers[l]);
    if (stack.isTop(l) || stack.isSubstrate(l))
      medium.thickness.slope = 0;
    return medium;
  }
};

template <class Real> ComplexOf<Real> indexStepOf(const Medium<Real> &a, const Medium<Real> &b) {
  const ComplexOf<Real> step = joined(a.delta - b.delta, b.beta - a.beta);
  return step * joined(2.0 - a.delta - b.delta, a.beta + b.beta);
}

// kz^2 = k^2 (n_l^2 - n_0^2 cos^2 alpha), sorted so that small angles and small deltas keep their
// digits; `normal`: n_0 sin alpha.
template <class Media, class Number = ComplexOf<typename Media::Real>>
Number verticalWave(const Media &media, std::size_t layer, double k, const Number &normal) {
  if (layer == 0)
    return k * normal;
  Number kz = k * sqrt(normal * normal + indexStepOf(media[0], media[layer]));
  if (valueOf(kz).imag() < 0)
    kz = -kz;
  // At its critical angle a layer without absorption has kz = 0. There T and R are infinite and
  // opposite; their sum is finite. psi is even in kz, so this little costs (kz d)^2, below 1e-9.
  const bool inner = !media.stack.isSubstrate(layer);
  return inner && std::abs(valueOf(kz)) < 1e-9 * k ? Number(1e-9 * k) : kz;
}

template <class Number> struct Interface {
  Number r = 0, t = 1;
};

template <class Number, class Real>
Interface<Number> interface(const Number &above, const Number &below, const Real &roughness) {
  const Number sum = above + below, difference = above - below;
  if (valueOf(sum) == 0.0) // equal media at alpha = 0
    return {};
  const Real s2 = roughness * roughness;
  return {difference / sum * exp(-2.0 * above * below * s2),
          2.0 * above / sum * exp(difference * difference * s2 / 2.0)};
}

template <class Real> struct LayerSolution {
  LayerWaveOf<Real> wave;
  ComplexOf<Real> reflection = 0;    // at the top of the layer, beside its transmitted wave
  Interface<ComplexOf<Real>> face{}; // below it
};

template <class Real> Real sineOf(const Real &alpha) {
  if (!(valueOf(alpha) >= 0 && valueOf(alpha) <= std::numbers::pi / 2))
    throw Error("waves in layers",
                fmt::format("an angle of {} rad from the surface", valueOf(alpha)),
                "angles are from 0 to pi/2; below the horizon there is no wave to compute");
  return sin(alpha);
}

// All layers down to `last`; reflections come from below it, too.
template <class Media, class Real = typename Media::Real>
std::vector<LayerSolution<Real>> solve(const Media &media, double k, const Real &sine,
                                       std::size_t last) {
  using Number = ComplexOf<Real>;
  const std::size_t n = media.stack.layers.size();
  std::vector<LayerSolution<Real>> all(n);
  const Medium<Real> top = media[0];
  const Number n0 = joined(1.0 - top.delta, top.beta), normal = n0 * sine;
  for (std::size_t l = 0; l < n; ++l) {
    all[l].wave.kz = verticalWave(media, l, k, normal);
    all[l].wave.thickness = media[l].thickness;
  }
  for (std::size_t l = n - 1; l-- > 0;) {
    LayerWaveOf<Real> &wave = all[l].wave;
    all[l].face = interface(wave.kz, all[l + 1].wave.kz, media[l + 1].roughness);
    const Number &r = all[l].face.r, &below = all[l + 1].reflection;
    wave.ratio = (r + below) / (1.0 + r * below);
    all[l].reflection = wave.ratio * exp(2.0 * i * wave.kz * wave.thickness);
  }
  for (std::size_t l = 0; l < last; ++l) {
    const LayerWaveOf<Real> &wave = all[l].wave;
    all[l + 1].wave.transmitted = wave.transmitted * exp(i * wave.kz * wave.thickness) *
                                  all[l].face.t / (1.0 + all[l].face.r * all[l + 1].reflection);
  }
  return all;
}

template <class Real>
std::array<Real, 2> lateralOf(const Real &delta, double k, const Real &alphaI, const Real &alphaF,
                              const Real &phiF) {
  // cos ai - cos af cos phi, without the cancellation of 1 - 1.
  const Real half = sin(phiF / 2.0);
  const Real x = 2.0 * sin((alphaF + alphaI) / 2.0) * sin((alphaF - alphaI) / 2.0) +
                 2.0 * cos(alphaF) * half * half;
  const Real inTop = k * (1.0 - delta);
  return {inTop * x, -inTop * cos(alphaF) * sin(phiF)};
}

template <class Real>
ComplexOf<Real> contrastOf(const Medium<Real> &layer, double k, const Real &delta,
                           const Real &beta) {
  return k * k / (4 * std::numbers::pi) * indexStepOf(layer, {delta, beta});
}

} // namespace

std::vector<Wave> waves(const Stack &stack, double k, double alpha) {
  std::vector<Wave> all;
  for (const auto &layer : solve(Constants{stack}, k, sineOf(alpha), stack.layers.size() - 1))
    all.push_back(layer.wave.at(0));
  return all;
}

template <class Real> WaveOf<Real> LayerWaveOf<Real>::at(const Real &height) const {
  if (valueOf(kz).imag() == 0 && valueOf(thickness) == 0) {
    // As above every sample: one phase, no damping.
    const ComplexOf<Real> phase = kz * height;
    const double c = std::cos(valueOf(phase).real()), s = std::sin(valueOf(phase).real());
    return {kz, transmitted * along(phase, Complex(c, -s), Complex(-s, -c)),
            ratio * transmitted * along(phase, Complex(c, s), Complex(-s, c))};
  }
  const ComplexOf<Real> down = transmitted * exp(-i * kz * height);
  if (valueOf(thickness) == 0 && valueOf(ratio) == 0.0) // nothing comes up in the substrate
    return {kz, down, 0};
  return {kz, down, ratio * transmitted * exp(i * kz * (2.0 * thickness + height))};
}

LayerWave layerWave(const Stack &stack, std::size_t layer, double k, double alpha) {
  return layerWaveOf(stack, layer, k, sineOf(alpha));
}

LayerWave layerWaveOf(const Stack &stack, std::size_t layer, double k, double sine) {
  return solve(Constants{stack}, k, sine, layer)[layer].wave;
}

LayerWaveOf<DualReal> layerWave(const Stack &stack, const Stack &change, std::size_t layer,
                                double k, const DualReal &alpha) {
  return layerWaveOf(stack, change, layer, k, sineOf(alpha));
}

LayerWaveOf<DualReal> layerWaveOf(const Stack &stack, const Stack &change, std::size_t layer,
                                  double k, const DualReal &sine) {
  return solve(DualStack{stack, change}, k, sine, layer)[layer].wave;
}

std::vector<Complex> field(const Stack &stack, double k, double alpha,
                           const std::vector<double> &heights) {
  const auto layers = solve(Constants{stack}, k, sineOf(alpha), stack.layers.size() - 1);
  std::vector<Complex> psi;
  psi.reserve(heights.size());
  for (const double height : heights) {
    std::size_t l = 0;
    double below = height; // from the top of layer l
    for (; !stack.isSubstrate(l) && below <= stack.lowest(l); ++l)
      below -= stack.lowest(l);
    const Wave wave = layers[l].wave.at(below);
    psi.push_back(wave.transmitted + wave.reflected);
  }
  return psi;
}

double transmittance(const std::vector<Wave> &waves) {
  const double in = waves.front().kz.real();
  return in > 0 ? waves.back().kz.real() / in * std::norm(waves.back().transmitted) : 0;
}

template <class Real> ChannelsOf<Real> channels(const WaveOf<Real> &in, const WaveOf<Real> &out) {
  const auto &a = in.kz, &b = out.kz;
  return {{{-a - b, in.transmitted * out.transmitted},
           {-a + b, in.transmitted * out.reflected},
           {a - b, in.reflected * out.transmitted},
           {a + b, in.reflected * out.reflected}}};
}

template struct LayerWaveOf<double>;
template struct LayerWaveOf<DualReal>;
template Channels channels(const Wave &, const Wave &);
template ChannelsOf<DualReal> channels(const WaveOf<DualReal> &, const WaveOf<DualReal> &);

std::array<double, 2> lateral(const Stack &stack, double k, double alphaI, double alphaF,
                              double phiF) {
  return lateralOf(stack.layers[0].delta, k, alphaI, alphaF, phiF);
}

std::array<DualReal, 2> lateral(const Stack &stack, const Stack &change, double k,
                                const DualReal &alphaI, const DualReal &alphaF,
                                const DualReal &phiF) {
  return lateralOf(DualStack{stack, change}[0].delta, k, alphaI, alphaF, phiF);
}

std::complex<double> contrast(const Layer &layer, double k, double delta, double beta) {
  return contrastOf(mediumOf(layer), k, delta, beta);
}

Dual<std::complex<double>> contrast(const Layer &layer, const Layer &change, double k,
                                    const DualReal &delta, const DualReal &beta) {
  return contrastOf(mediumOf(layer, change), k, delta, beta);
}

} // namespace facet::runtime
