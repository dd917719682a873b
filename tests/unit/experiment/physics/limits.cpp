// limits.cpp - what waves and channels must do in cases whose answer is known: energy, reciprocity,
// roughness, total reflection, equal media, the edges of double.
#include "samples.h"

namespace facet::test {
namespace {

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
