// slopes.cpp - what waves in layers and channels change by with each number of the sample, the
// angle and the height, against differences of eighth order. Their values are compared with those
// without slopes.
#include "samples.h"
#include "tests/unit/run/refusal.h"
#include <fmt/format.h>

namespace facet::test {
namespace {

#ifdef FP_FAST_FMA // two compiled forms of a formula may be fused in different ways
constexpr double sameValue = 1e-12;
#else
constexpr double sameValue = 0;
#endif

/// A particle's layer, height and angles in a sample.
struct Place {
  Stack stack;
  std::size_t layer;
  double height, alphaI, alphaF;
};

/// What all of it changes by.
struct Direction {
  std::string name;
  Stack change;
  double height = 0, alphaI = 0, alphaF = 0;
};

/// Each number of each layer, both angles and the height, in steps as large as these numbers are.
std::vector<Direction> directionsOf(const Place &place) {
  const std::size_t n = place.stack.layers.size();
  const Stack none{std::vector<Layer>(n)};
  std::vector<Direction> all = {{"height", none, 5},
                                {"alpha_i", none, 0, place.alphaI},
                                {"alpha_f", none, 0, 0, place.alphaF}};
  const auto add = [&](const char *name, std::size_t l, double Layer::*number, double least) {
    all.push_back({fmt::format("{} of layer {}", name, l), none});
    all.back().change.layers[l].*number = std::max(place.stack.layers[l].*number, least);
  };
  for (std::size_t l = 0; l < n; ++l) {
    add("delta", l, &Layer::delta, 1e-6);
    add("beta", l, &Layer::beta, 1e-7);
    if (l > 0)
      add("roughness", l, &Layer::roughness, 0.3);
    if (l > 0 && l + 1 < n)
      add("thickness", l, &Layer::thickness, 1);
  }
  return all;
}

Place moved(Place place, const Direction &along, double by) {
  for (std::size_t l = 0; l < place.stack.layers.size(); ++l)
    for (double Layer::*number :
         {&Layer::thickness, &Layer::delta, &Layer::beta, &Layer::roughness})
      place.stack.layers[l].*number += by * along.change.layers[l].*number;
  place.height += by * along.height;
  place.alphaI += by * along.alphaI;
  place.alphaF += by * along.alphaF;
  return place;
}

template <class Real>
std::vector<ComplexOf<Real>> numbersOf(const LayerWaveOf<Real> &in, const LayerWaveOf<Real> &out,
                                       const Real &height) {
  const WaveOf<Real> at = in.at(height);
  std::vector<ComplexOf<Real>> all = {
      in.kz, in.transmitted, in.ratio,    joined(in.thickness, Real(0)),
      at.kz, at.transmitted, at.reflected};
  for (const auto &channel : channels(at, out.at(height))) {
    all.push_back(channel.qz);
    all.push_back(channel.factor);
  }
  return all;
}

std::vector<Complex> plain(const Place &p) {
  return numbersOf(layerWave(p.stack, p.layer, k, p.alphaI),
                   layerWave(p.stack, p.layer, k, p.alphaF), p.height);
}
std::vector<Dual<Complex>> sloped(const Place &p, const Direction &along) {
  const auto wave = [&](double alpha, double by) {
    return layerWave(p.stack, along.change, p.layer, k, DualReal(alpha, by));
  };
  return numbersOf(wave(p.alphaI, along.alphaI), wave(p.alphaF, along.alphaF),
                   DualReal(p.height, along.height));
}

/// From eight points, h to 4 h to both sides of 0: errors of the eighth power of h, and of rounding
/// over it.
template <class F> auto difference(const F &f) {
  constexpr double h = 5e-4;
  return (4.0 / 5 * (f(h) - f(-h)) - 1.0 / 5 * (f(2 * h) - f(-2 * h)) +
          4.0 / 105 * (f(3 * h) - f(-3 * h)) - 1.0 / 280 * (f(4 * h) - f(-4 * h))) /
         h;
}

void expectSlope(const Dual<Complex> &is, const Complex &value, const Complex &slope,
                 const std::string &what) {
  EXPECT_LE(std::abs(is.value - value), sameValue * std::abs(value)) << what;
  EXPECT_LE(std::abs(is.slope - slope), 1e-9 * std::abs(slope) + 2e-11 * std::abs(value))
      << what << ": " << is.slope << " and " << slope;
}

void expectSlopes(const Place &place, const std::string &where) {
  const std::vector<Complex> value = plain(place);
  for (const Direction &along : directionsOf(place)) {
    const std::vector<Dual<Complex>> is = sloped(place, along);
    for (std::size_t n = 0; n < value.size(); ++n)
      expectSlope(is[n], value[n],
                  difference([&](double by) { return plain(moved(place, along, by))[n]; }),
                  fmt::format("{}, number {} by {}", where, n, along.name));
  }
}

Stack roughOf(Stack stack) {
  for (std::size_t l = 1; l < stack.layers.size(); ++l)
    stack.layers[l].roughness = 0.2 + 0.15 * static_cast<double>(l);
  return stack;
}
Stack fiveLayers() {
  Stack stack = twoFilms();
  stack.layers.insert(stack.layers.begin() + 3, {"metal", 12, 3e-5, 3e-6, 0});
  return roughOf(stack);
}

TEST(Slopes, AreDifferencesInEachLayerAboveAndBelowCriticalAngles) {
  const Stack water{{{"water", 0, 1e-6, 2e-9, 0}}}, vacuum{{{"vacuum", 0, 0, 0, 0}}};
  for (const Stack &stack : {water, vacuum, silicon(), roughOf(silicon()), fiveLayers()})
    for (std::size_t layer = 0; layer < stack.layers.size(); ++layer)
      for (const auto &[in, out] : {std::pair{0.08, 0.3}, {0.3, 0.11}, {0.9, 1.2}})
        expectSlopes({stack, layer, layer == 0 ? 7.0 : -6.0, in * degree, out * degree},
                     fmt::format("{} layers, layer {}, {} deg", stack.layers.size(), layer, in));
}

TEST(Slopes, OfQInThePlaneAndOfTheContrast) {
  const Stack water{{{"water", 0, 1e-3, 0, 0}}};
  const std::array<double, 4> at = {0.2 * degree, 0.3 * degree, 0.4 * degree, 1e-3};
  for (std::size_t n = 0; n < at.size(); ++n) {
    const auto by = [&](std::size_t m) { return m == n ? at[n] : 0; };
    const auto moved = [&](double t, std::size_t m) { return at[m] + t * by(m); };
    const auto is = lateral(water, Stack{{{"", 0, by(3)}}}, k, DualReal(at[0], by(0)),
                            DualReal(at[1], by(1)), DualReal(at[2], by(2)));
    for (std::size_t c = 0; c < 2; ++c) {
      const auto q = [&](double t) {
        return lateral({{{"", 0, moved(t, 3)}}}, k, moved(t, 0), moved(t, 1), moved(t, 2))[c];
      };
      expectSlope({is[c].value, is[c].slope}, q(0), difference(q), fmt::format("q {} by {}", c, n));
    }
  }
  const std::array<double, 4> indices = {1e-5, 2e-7, 4e-6, 3e-8}; // of the particle, of the layer
  for (std::size_t n = 0; n < indices.size(); ++n) {
    const auto by = [&](std::size_t m) { return m == n ? indices[n] : 0; };
    const auto moved = [&](double t, std::size_t m) { return indices[m] + t * by(m); };
    const auto value = [&](double t) {
      return contrast({"", 0, moved(t, 2), moved(t, 3)}, k, moved(t, 0), moved(t, 1));
    };
    expectSlope(contrast({"", 0, indices[2], indices[3]}, {"", 0, by(2), by(3)}, k,
                         DualReal(indices[0], by(0)), DualReal(indices[1], by(1))),
                value(0), difference(value), fmt::format("contrast by {}", n));
  }
}

TEST(Slopes, AreOfTheBranchThatIsTaken) {
  // A film that is vacuum at alpha = 0: its kz of 0 is moved, by what does not change.
  const Stack more{{{}, {"", 0, 1e-6}, {}}};
  const auto film = layerWave({{{}, {"", 10}, {"", 0, 1e-6}}}, more, 1, k, DualReal(0, 1));
  EXPECT_EQ(film.kz.value, 1e-9 * k);
  EXPECT_EQ(film.kz.slope, 0.0);
  // A substrate at its critical angle has none, but where nothing changes.
  const Stack vacuum{{{}, {}}};
  const auto substrate = [&](double delta) {
    return layerWave(vacuum, Stack{{{}, {"", 0, delta}}}, 1, k, DualReal(0)).kz.slope;
  };
  EXPECT_FALSE(std::isfinite(std::abs(substrate(1e-6))));
  EXPECT_EQ(substrate(0), 0.0);
}

TEST(Slopes, HalfSpacesHaveNoThicknessThatCouldChange) {
  const Stack thicker{{{"", 1}, {"", 1}}};
  for (const std::size_t layer : {0U, 1U})
    for (const Dual<Complex> &number : sloped({silicon(), layer, 0, 0.1, 0.2}, {"", thicker}))
      EXPECT_EQ(number.slope, 0.0);
}

TEST(Slopes, AreRefusedForAnotherNumberOfLayers) {
  EXPECT_SAYS(layerWave(silicon(), Stack{}, 1, k, DualReal(0.1)),
              "waves in layers: 0 layers change, and the sample has 2");
  EXPECT_SAYS(lateral(silicon(), Stack{}, k, 0.1, 0.1, 0.0), "0 layers change");
}

} // namespace
} // namespace facet::test
