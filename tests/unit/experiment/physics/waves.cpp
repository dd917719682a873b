// waves.cpp - samples that are refused. The wave in each layer against values of a 50-digit
// implementation, which agree with BornAgain if that has them (docs/experiments.md). What waves and
// channels must do in cases whose answer is known: energy, reciprocity, roughness, total
// reflection, equal media, the edges of double.
#include "samples.h"
#include "tests/unit/run/refusal.h"
#include <limits>
#include <tuple>

namespace facet::test {
namespace {

/// What check says of silicon under a film, after a change of the film.
template <class Change> std::string refused(const Change &change) {
  Stack stack = film(50, 3e-6, 5e-7);
  change(stack);
  return refusal([&] { check(stack, "gold.toml"); });
}

TEST(Stack, IsAcceptedAsItShouldBe) {
  EXPECT_EQ(refused([](Stack &) {}), "");
  EXPECT_EQ(refusal([] { check({{{"water", 0, 1e-6, 1e-9, 0}}}); }), "");
  EXPECT_EQ(refused([](Stack &s) { s.layers[1].roughness = s.layers[2].roughness = 0.6; }), "");
}

TEST(Stack, NegativeBetaIsRefusedWhateverTheConvention) {
  const std::string text = refused([](Stack &s) { s.layers[1].beta = -5e-7; });
  EXPECT_HAS(text, "gold.toml: layer 'film': beta is -5e-07: facet wants beta > 0");
  EXPECT_HAS(text, "whatever the convention");
}

TEST(Stack, IndicesOutOfRangeAreRefused) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_HAS(refused([](Stack &s) { s.layers[2].delta = -1e-6; }), "layer 'Si': delta is -1e-06");
  EXPECT_HAS(refused([](Stack &s) { s.layers[2].delta = 3; }), "delta is 3, not between 0 and 1");
  EXPECT_HAS(refused([&](Stack &s) { s.layers[1].delta = nan; }), "delta is nan");
  EXPECT_HAS(refused([&](Stack &s) { s.layers[1].beta = nan; }), "beta is nan");
  EXPECT_HAS(refused([](Stack &s) { s.layers[1].beta = INFINITY; }), "beta is inf");
  EXPECT_SAYS(checkIndex(1e-5, -1e-6, "particle 2"), "particle 2: beta is -1e-06");
}

TEST(Stack, ThicknessBelongsToInnerLayers) {
  EXPECT_HAS(refused([](Stack &s) { s.layers[1].thickness = 0; }), "a thickness of 0 nm");
  EXPECT_HAS(refused([](Stack &s) { s.layers[1].thickness = -3; }), "a thickness of -3 nm");
  EXPECT_HAS(refused([](Stack &s) { s.layers[2].thickness = 10; }), "10 nm for a half-space");
  EXPECT_HAS(refused([](Stack &s) { s.layers[0].thickness = 10; }), "10 nm for a half-space");
}

TEST(Stack, RoughnessBelongsToInterfaces) {
  EXPECT_HAS(refused([](Stack &s) { s.layers[1].roughness = -0.5; }), "a roughness of -0.5 nm");
  EXPECT_HAS(refused([](Stack &s) { s.layers[0].roughness = 0.5; }), "nothing lies above it");
}

TEST(Stack, NothingAndAnAbsorbingTopAreRefused) {
  EXPECT_SAYS(check(Stack{}), "sample: no layers");
  EXPECT_HAS(refused([](Stack &s) { s.layers[0].beta = 1e-9; }), "layer 'vacuum': absorbs");
}

TEST(Stack, LayersAreFoundByName) {
  EXPECT_EQ(findLayer(twoFilms(), "lower"), 2U);
  EXPECT_SAYS(findLayer(twoFilms(), "flim", "particle 1"),
              "particle 1: no layer 'flim'\n  help: did you mean 'film'?");
  EXPECT_SAYS(findLayer(twoFilms(), "gold"), "vacuum, film, lower, Si");
}

bool inside(std::size_t layer, double low, double high) {
  return isInside(film(50, 3e-6, 5e-7), layer, low, high);
}

TEST(Particles, MayTouchInterfaces) {
  EXPECT_TRUE(inside(0, 0, 10));
  EXPECT_TRUE(inside(1, -50, 0));
  EXPECT_TRUE(inside(1, -50 - 1e-12, 1e-12));
  EXPECT_TRUE(inside(2, -1e4, -3));
}

TEST(Particles, Cross) {
  EXPECT_FALSE(inside(0, -2.5, 10));
  EXPECT_FALSE(inside(1, -30, 0.25));
  EXPECT_FALSE(inside(1, -51, -20));
  EXPECT_FALSE(inside(2, -10, 4));
  EXPECT_FALSE(inside(1, NAN, 5));
}

TEST(Layers, HaveOrigins) {
  const Stack stack = twoFilms();
  EXPECT_EQ(stack.origin(0), 0);
  EXPECT_EQ(stack.origin(1), 0);
  EXPECT_EQ(stack.origin(2), stack.lowest(1));
  EXPECT_EQ(stack.origin(3), stack.lowest(1) + stack.lowest(2));
}

TEST(Waves, OnSilicon) {
  // alpha in degrees; kz and r, real and imaginary; reflectivity; depth
  constexpr double rows[][7] = {{0.05, 0.00124763137395711, 0.152100681337469, -0.840451257018099,
                                 -0.533746562521397, 0.99124370842671, 3.287},
                                {0.15, 0.00219186911696661, 0.0865770590807456, 0.393200051599031,
                                 -0.894484455306876, 0.95470872136312, 5.775},
                                {0.179, 0.0132656486396647, 0.0143050360514958, 0.832619825022854,
                                 -0.152800430649091, 0.716603744627635, 34.95},
                                {0.2, 0.0787525522207055, 0.00240964358215412, 0.383724554493998,
                                 -0.0130435567821707, 0.147414668095147, 207.5},
                                {0.5, 0.412838790547163, 0.000459660250882363, 0.0343172405115846,
                                 -0.000556050920851394, 0.00117798218895652, 1088}};
  for (const auto &[alpha, kz, kzIm, r, rIm, wanted, depth] : rows) {
    const auto all = waves(silicon(), k, alpha * degree);
    EXPECT_IS(all[1].kz, Complex(kz, kzIm), 1e-13);
    EXPECT_IS(all[0].reflected, Complex(r, rIm), 1e-13);
    EXPECT_IS(reflectivity(silicon(), k, alpha * degree), wanted, 1e-13);
    EXPECT_IS(1 / (2 * all[1].kz.imag()), depth, 3e-4);
    EXPECT_EQ(all[0].transmitted, 1.0);
    EXPECT_EQ(all[1].reflected, 0.0);
  }
}

TEST(Waves, InTwoFilms) {
  const auto all = waves(twoFilms(), k, 0.2 * degree);
  EXPECT_IS(all[0].reflected, Complex(0.215393439788150, -0.962890064996917), 1e-13);
  EXPECT_IS(all[2].transmitted, Complex(0.0497014716171516, 0.00691865490556527), 1e-13);
  EXPECT_IS(all[2].reflected, Complex(0.00249532905666276, -0.0135649422678653), 1e-13);
  EXPECT_IS(all[3].transmitted, Complex(0.0523516955545166, -0.0366543802049113), 1e-13);
  EXPECT_IS(reflectivity(twoFilms(), k, 0.5 * degree), 2.25993559380100e-5, 1e-12);
}

TEST(Waves, InAFilm) {
  const auto in = waves(film(50, 3e-6, 5e-7), k, 0.25 * degree)[1],
             out = waves(film(50, 3e-6, 5e-7), k, 0.2 * degree)[1];
  EXPECT_IS(in.kz, Complex(0.1831007979, 0.007011239958), 4e-10);
  EXPECT_IS(out.kz, Complex(0.1264216631, 0.01015461748), 4e-10);
  EXPECT_IS(in.transmitted, Complex(1.08989987, -0.01649841075), 5e-9);
  EXPECT_IS(out.transmitted, Complex(1.148522434, -0.03753167488), 5e-10);
  EXPECT_IS(in.reflected, Complex(0.04374992381, -0.01753694238), 2e-10);
  EXPECT_IS(out.reflected, Complex(0.09679731478, 0.01394057026), 2e-10);
}

// 200 nm of gold with rough interfaces: what arrives below it is down to 1e-35.
TEST(Waves, InAThickAbsorbingFilm) {
  Stack stack = film(200, 2.97e-5, 2.08e-6);
  stack.layers[1].roughness = 0.7, stack.layers[2].roughness = 0.4;
  // alpha in degrees; r, then the waves in the gold and the transmitted one below it
  constexpr double rows[][9] = {
      {0.02, -0.993115855169436, -0.0832998442798796, 0.00690353703263857, -0.0867452167756249,
       -3.99788662712959e-70, -4.21648495047093e-70, 5.01440838295289e-36, 1.44740814157275e-35},
      {0.2, -0.615083729341653, -0.740469238978652, 0.398183217513946, -0.771621470876060,
       1.65567921958343e-61, -1.75286517705187e-61, -5.09651168018589e-31, 7.23142282906940e-31},
      {0.44, 0.625540928506281, -0.288109217535218, 1.68658921467364, -0.303826610509219,
       2.16762035644892e-14, -4.58731195237660e-14, -3.83272127173853e-8, 1.68322598949067e-7},
      {1, 0.0297158576338117, -0.00230802288624253, 1.05619489719170, -0.00454673999635462,
       0.00264960958855316, -0.0000363280552293011, -0.0106733953822647, 0.262142551943905},
      {2.2, 0.000523673041211114, -0.000847984090021269, 1.01067059347973, -0.000790297745994657,
       0.000253769715709590, -0.000836105713785215, -0.321021297387083, -0.473530330800564}};
  for (const auto &row : rows) {
    const auto all = waves(stack, k, row[0] * degree);
    EXPECT_IS(all[0].reflected, Complex(row[1], row[2]), 1e-12);
    EXPECT_IS(all[1].transmitted, Complex(row[3], row[4]), 1e-12);
    EXPECT_IS(all[1].reflected, Complex(row[5], row[6]), 1e-12);
    EXPECT_IS(all[2].transmitted, Complex(row[7], row[8]), 1e-12);
  }
}

// BornAgain 25.0.0 gives these to 1e-10 (ErfTransient, spatial frequencies of roughness up to 1e9).
TEST(Waves, InAFilmWithRoughInterfaces) {
  Stack stack = film(20, 2.97e-5, 2.08e-6);
  stack.layers[1].roughness = 0.7, stack.layers[2].roughness = 0.4;
  for (const auto &[alpha, wanted] : {std::pair{0.1, 0.965707961901122},
                                      {0.3, 0.870485944097698},
                                      {0.5, 0.155370704751742},
                                      {1.0, 7.72058842094792e-5},
                                      {2.2, 4.81043720808898e-6}})
    EXPECT_IS(reflectivity(stack, k, alpha * degree), wanted, 1e-12);
}

TEST(Waves, AtAHeightAreThoseOfTheTopWithTheirPhase) {
  const Stack stack = twoFilms();
  const double alpha = 0.3 * degree;
  const auto all = waves(stack, k, alpha);
  for (const std::size_t layer : {0U, 1U, 2U, 3U}) {
    const double z = layer == 0 ? 7.5 : -7.5;
    const Wave wave = waveAt(stack, layer, z, k, alpha);
    const Complex phase = std::exp(Complex(0, 1) * all[layer].kz * z);
    EXPECT_IS(wave.transmitted, all[layer].transmitted / phase, 1e-14);
    EXPECT_LE(std::abs(wave.reflected - all[layer].reflected * phase), 1e-14);
  }
}

TEST(Waves, RefuseAnglesBelowTheHorizon) {
  EXPECT_SAYS(waves(silicon(), k, -0.01), "an angle of -0.01 rad");
  EXPECT_SAYS(waveAt(silicon(), 0, 0, k, NAN), "an angle of nan rad");
  EXPECT_SAYS(reflectivity(silicon(), k, 2), "an angle of 2 rad");
}

// psi and its derivative are continuous at every interface without roughness, however thick and
// absorbing the films: the equations that the recursion solves.
TEST(Waves, AndTheirDerivativesAreContinuousAtInterfaces) {
  for (const double thickness : {1.0, 20.0, 200.0})
    for (const double delta : {1e-6, 1e-5, 3e-5}) {
      Stack stack = film(thickness, delta, delta / 14);
      stack.layers.insert(stack.layers.begin() + 1, {"cap", 200, 2e-5, 2e-6, 0});
      for (double alpha = 0.02; alpha < 2.3; alpha *= 1.3)
        for (std::size_t l = 0; l + 1 < stack.layers.size(); ++l) {
          const double bottom = l == 0 ? 0 : -stack.layers[l].thickness;
          const Wave above = waveAt(stack, l, bottom, k, alpha * degree),
                     below = waveAt(stack, l + 1, 0, k, alpha * degree);
          const double size = std::abs(above.transmitted) + std::abs(above.reflected);
          EXPECT_LE(
              std::abs(above.transmitted + above.reflected - below.transmitted - below.reflected),
              1e-13 * size);
          EXPECT_LE(std::abs(above.kz * (above.transmitted - above.reflected) -
                             below.kz * (below.transmitted - below.reflected)),
                    1e-13 * size * std::abs(above.kz));
          EXPECT_GT(size, 0);
        }
    }
}

Stack glass() { return {{{"vacuum", 0, 0, 0, 0}, {"glass", 0, 4.8857e-6, 0, 0}}}; }
double criticalAngle(double delta) {
  return 2 * std::asin(std::sqrt(delta / 2));
} // cos = 1 - delta

TEST(Limits, NoEnergyIsLostWithoutAbsorption) {
  Stack stack = twoFilms();
  for (Layer &m : stack.layers)
    m.beta = 0;
  for (double alpha = 0.181; alpha < 3; alpha *= 1.2) {
    const auto all = waves(stack, k, alpha * degree);
    const double through = all[3].kz.real() / all[0].kz.real() * std::norm(all[3].transmitted);
    EXPECT_NEAR(std::norm(all[0].reflected) + through, 1, 1e-13) << alpha;
  }
}

TEST(Limits, EverythingIsReflectedBelowTheCriticalAngle) {
  const double critical = criticalAngle(4.8857e-6);
  for (const double part : {0.0, 1e-9, 0.1, 0.5, 0.9, 0.999})
    EXPECT_NEAR(reflectivity(glass(), k, part * critical), 1, 1e-14) << part;
  EXPECT_LT(reflectivity(glass(), k, 1.001 * critical), 0.9);
  EXPECT_EQ(waves(glass(), k, 0)[0].reflected, -1.0);
  EXPECT_NEAR(std::abs(waves(glass(), k, critical)[0].reflected - 1.0), 0, 1e-5);
}

TEST(Limits, ReflectivityGoesToOneAtTheHorizonEvenWithAbsorption) {
  EXPECT_NEAR(reflectivity(twoFilms(), k, 1e-9), 1, 1e-6);
  EXPECT_LT(reflectivity(twoFilms(), k, 0.1 * degree), 0.995);
}

TEST(Limits, EqualMediaReflectNothing) {
  Stack same = {{{"a", 0, 2e-6, 0, 0}, {"b", 30, 2e-6, 0, 0}, {"c", 0, 2e-6, 0, 0}}};
  for (const double alpha : {0.01, 0.2, 2.0, 90.0})
    for (const Wave &wave : waves(same, k, alpha * degree)) {
      EXPECT_EQ(wave.reflected, 0.0);
      EXPECT_NEAR(std::abs(wave.transmitted), 1, 1e-14);
    }
  const Stack halves = {{same.layers[0], same.layers[2]}}; // kz = 0 on both sides
  EXPECT_EQ(waves(halves, k, 0)[0].reflected, 0.0);
  EXPECT_EQ(waves(halves, k, 0)[1].transmitted, 1.0);
  for (const Wave &wave : waves(same, k, 0))
    EXPECT_TRUE(std::isfinite(std::abs(wave.transmitted) + std::abs(wave.reflected)));
}

TEST(Limits, ALayerCutInTwoIsTheSame) {
  Stack cut = film(50, 3e-6, 5e-7);
  cut.layers[1].thickness = 20;
  cut.layers.insert(cut.layers.begin() + 2, {"rest", 30, 3e-6, 5e-7, 0});
  const Wave whole = waveAt(film(50, 3e-6, 5e-7), 1, -35, k, 0.2 * degree),
             lower = waveAt(cut, 2, -15, k, 0.2 * degree);
  EXPECT_IS(lower.transmitted, whole.transmitted, 1e-14);
  EXPECT_IS(lower.reflected, whole.reflected, 1e-14);
}

// Nevot and Croce, one interface: r is smaller by e^{-2 kz kz' s^2}.
TEST(Limits, RoughnessLowersReflectivity) {
  Stack rough = silicon();
  rough.layers[1].roughness = 0.6;
  for (const double alpha : {0.3, 1.0, 3.0}) {
    const auto all = waves(silicon(), k, alpha * degree);
    const double lower = std::exp(-4 * (all[0].kz * all[1].kz).real() * 0.36);
    const double is = reflectivity(rough, k, alpha * degree);
    EXPECT_IS(is, lower * reflectivity(silicon(), k, alpha * degree), 1e-12);
    EXPECT_LT(lower, 0.95);
  }
}

// t is larger by e^{(kz - kz')^2 s^2 / 2}: seen in the layer below.
TEST(Limits, RoughnessRaisesTransmission) {
  Stack rough = silicon();
  rough.layers[1].roughness = 2;
  const auto all = waves(silicon(), k, 0.2 * degree);
  const Complex difference = all[0].kz - all[1].kz;
  EXPECT_IS(waves(rough, k, 0.2 * degree)[1].transmitted,
            all[1].transmitted * std::exp(difference * difference * 2.0), 1e-13);
}

// Source and detector may change places: a particle that is round about z scatters the same.
TEST(Limits, AnglesOfIncidenceAndExitMayBeSwapped) {
  const Stack stack = film(50, 3e-6, 5e-7);
  const auto scattered = [&](double alphaI, double alphaF) {
    const auto q = lateral(stack, k, alphaI, alphaF, 0.4 * degree);
    const double across = q[0] * q[0] + q[1] * q[1];
    Complex sum = 0;
    for (const Channel &c : above(stack, 1, -20, alphaI, alphaF))
      sum += c.factor * std::exp(-9.0 * across - 4.0 * c.qz * c.qz + Complex(0, 2) * c.qz);
    return sum;
  };
  for (const double alphaF : {0.05, 0.2, 0.7})
    EXPECT_IS(scattered(0.25 * degree, alphaF * degree), scattered(alphaF * degree, 0.25 * degree),
              1e-10);
}

// kz = 0 in a film without absorption: T and R are infinite there, their sum is not.
TEST(Limits, AFilmAtItsCriticalAngleIsWhatItIsBesideIt) {
  int exact = 0;
  for (double critical = 1e-3; critical < 2e-3; critical += 1e-5) {
    const double delta = 2 * std::sin(critical / 2) * std::sin(critical / 2);
    const double sine = std::sin(critical);
    exact += delta * (2 - delta) == sine * sine ? 1 : 0;
    const Stack stack = film(40, delta, 0);
    const auto psi = [&](double alpha) {
      const Wave wave = waveAt(stack, 1, -13, k, alpha);
      return wave.transmitted + wave.reflected;
    };
    EXPECT_IS(psi(critical), (psi(critical - 1e-8) + psi(critical + 1e-8)) / 2.0, 1e-6);
    EXPECT_GT(std::abs(psi(critical)), 0.1);
  }
  EXPECT_GT(exact, 10); // kz is 0 to the last bit
}

/// psi in the middle of a layer without roughness, by cos and sin(x) / x of kz alone, which are
/// even in it: from the substrate upwards, then by the incoming wave of 1.
Complex psiByEvenFunctions(const Stack &stack, std::size_t layer, double alpha) {
  Complex psi = 1, slope = -Complex(0, 1) * waves(stack, k, alpha).back().kz, wanted = 0;
  const auto rise = [&](const Layer &m, double by) {
    const double sine = std::sin(alpha);
    const Complex square = k * k * Complex(sine * sine - m.delta * (2 - m.delta), 0);
    const Complex kz = std::sqrt(square), c = std::cos(kz * by);
    const Complex s = kz == 0.0 ? by : std::sin(kz * by) / kz;
    std::tie(psi, slope) = std::pair(c * psi + s * slope, c * slope - square * s * psi);
  };
  for (std::size_t l = stack.layers.size() - 2; l > 0; --l) {
    rise(stack.layers[l], stack.layers[l].thickness / 2);
    wanted = l == layer ? psi : wanted;
    rise(stack.layers[l], stack.layers[l].thickness / 2);
  }
  return 2.0 * wanted / (psi - slope / (Complex(0, 1) * k * std::sin(alpha)));
}

// A millionth of a radian beside each critical angle psi is known, and kz no longer held.
TEST(Limits, FilmsNearTheirCriticalAnglesHaveTheWaveOfEvenFunctions) {
  const Stack stack{
      {{"air"}, {"a", 40, 2e-6, 0, 0}, {"b", 25, 5e-6, 0, 0}, {"Si", 0, 8e-6, 1e-7, 0}}};
  for (const std::size_t critical : {1, 2})
    for (const double beside : {-1e-6, -3e-7, -1e-7, -1e-8, 1e-8, 1e-7, 3e-7, 1e-6})
      for (const std::size_t layer : {1, 2}) {
        const double alpha = criticalAngle(stack.layers[critical].delta) + beside;
        const Wave wave = waveAt(stack, layer, -stack.layers[layer].thickness / 2, k, alpha);
        EXPECT_IS(wave.transmitted + wave.reflected, psiByEvenFunctions(stack, layer, alpha), 1e-8);
      }
}

TEST(Limits, NothingIsLeftDeepInAnAbsorbingSubstrate) {
  const Stack gold{{{"air"}, {"gold", 0, 2.97e-5, 2.08e-6, 0}}};
  for (const std::complex<double> psi : field(gold, k, 0.002, {-2000, -20000, -1e9}))
    EXPECT_LT(std::abs(psi), 1e-30);
  const Wave deep = layerWave(gold, 1, k, 0.002).at(-20000);
  EXPECT_EQ(deep.reflected, 0.0);
  EXPECT_EQ(deep.transmitted, 0.0);
}

// From 0.02 degrees to five times the critical angle, deep in gold: nothing overflows, and every
// factor is what is left of the beam.
TEST(Limits, ChannelsStayFiniteInThickAbsorbingFilms) {
  for (const double thickness : {20.0, 100.0, 200.0}) {
    const Stack stack = film(thickness, 2.97e-5, 2.08e-6);
    const double critical = criticalAngle(2.97e-5);
    for (double in = 0.02 * degree; in < 5 * critical; in *= 1.5)
      for (double out = 0.02 * degree; out < 5 * critical; out *= 1.5)
        for (const double part : {0.0, 0.5, 1.0}) {
          double largest = 0;
          for (const Channel &c : above(stack, 1, -part * thickness, in, out)) {
            EXPECT_TRUE(std::isfinite(std::abs(c.factor)) && std::isfinite(std::abs(c.qz)));
            largest = std::max(largest, std::abs(c.factor));
          }
          EXPECT_LT(largest, 4.1); // T <= 2 each
          EXPECT_GT(largest, 0);
        }
  }
}

} // namespace
} // namespace facet::test
