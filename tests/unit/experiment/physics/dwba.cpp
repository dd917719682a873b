// dwba.cpp - the four terms and their sum against values of a 50-digit implementation that agrees
// with BornAgain (docs/experiments.md).
// NOLINTBEGIN(bugprone-suspicious-include): kernel files are what is tested
#include "examples/kernels/exact.cpp"
// NOLINTEND(bugprone-suspicious-include)
#include "samples.h"
#include "tests/unit/dsl/meshes.h"
#include "tests/unit/run/refusal.h"
#include <facet/reference.h>

namespace facet::test {
namespace {

TEST(Dwba, BoxOnSilicon) {
  const auto terms = boxTerms(silicon(), 0, 5, 0.2, 0.3, 0.35);
  EXPECT_IS(terms[0], Complex(279.321232995515, 375.056764561084), 1e-13);
  EXPECT_IS(terms[1], Complex(-124.826181587481, -56.2427240489048), 1e-13);
  EXPECT_IS(terms[2], Complex(-425.707402249214, 219.554893111828), 1e-13);
  EXPECT_IS(terms[3], Complex(10.9185222970543, -16.4029571792104), 1e-13);
  EXPECT_IS(intensity(terms), 340201.357744129, 1e-13);
  EXPECT_IS(intensity(boxTerms(silicon(), 0, 5, 0.2, 0.1, 0.35)), 3172604.32567119, 1e-13);
}

TEST(Dwba, BoxInAnAbsorbingFilm) {
  // Its bottom 20 nm above the substrate: the centre 25 nm below the film's top.
  const auto terms = boxTerms(film(50, 3e-6, 5e-7), 1, -25, 0.25, 0.2, 0.4);
  EXPECT_IS(terms[0], Complex(-106.595003083523, -483.164420901518), 1e-13);
  EXPECT_IS(terms[1], Complex(-2.60455210552922, -106.604713052091), 1e-13);
  EXPECT_IS(terms[2], Complex(11.8401431682868, 44.7620422643740), 1e-13);
  EXPECT_IS(terms[3], Complex(0.750828693711099, 4.22936584727629), 1e-13);
  EXPECT_IS(intensity(terms), 301773.767139261, 1e-13);
}

// One vertex of the base points to +y, so that only the right sign of phi gives these.
TEST(Dwba, PositivePhiIsPositiveY) {
  const double edge = 16, round = edge / std::sqrt(3), height = edge * std::sqrt(2.0 / 3);
  const auto mesh = tetrahedron({edge / 2, -round / 2, -height / 2}, {0, round, -height / 2},
                                {-edge / 2, -round / 2, -height / 2}, {0, 0, height / 2});
  const auto at = [&](double phi) {
    const auto q = lateral(silicon(), k, 0.2 * degree, 0.3 * degree, phi * degree);
    Complex sum = 0;
    for (const Channel &c : above(silicon(), 0, height / 2, 0.2 * degree, 0.3 * degree)) {
      const cplx f = evaluate<exact>(
                         {q[0], q[1], cplx(c.qz.real(), c.qz.imag())},
                         [&](long t) { return mesh[static_cast<std::size_t>(t)]; },
                         static_cast<long>(mesh.size()))
                         .f;
      sum += c.factor * Complex(f.re, f.im);
    }
    return std::norm(sum);
  };
  EXPECT_IS(at(+1.1), 3471.36380460717, 1e-12);
  EXPECT_IS(at(-1.1), 11590.8675814297, 1e-12);
}

TEST(Dwba, HasAValueAtTheHorizonButNoneBelow) {
  for (const Channel &c : above(silicon(), 0, 5, 0.2 * degree, 0))
    EXPECT_NE(c.factor, 0.0);
  EXPECT_SAYS(above(silicon(), 0, 5, -0.2, 0.1), "an angle of -0.2 rad");
  EXPECT_SAYS(above(silicon(), 0, 5, 0.2, -1e-12), "an angle of -1e-12 rad");
}

TEST(Dwba, VanishesAtTheHorizon) {
  EXPECT_LT(intensity(boxTerms(silicon(), 0, 5, 0.2, 0, 0.35)), 1e-20);
  EXPECT_GT(intensity(boxTerms(silicon(), 0, 5, 0.2, 0.01, 0.35)), 1);
}

TEST(Dwba, LateralTransferKeepsItsDigits) {
  const auto q = lateral(silicon(), k, 0.2 * degree, 0.3 * degree, 0.35 * degree);
  EXPECT_IS(q[0], k * (std::cos(0.2 * degree) - std::cos(0.3 * degree) * std::cos(0.35 * degree)),
            1e-10);
  EXPECT_IS(q[1], -k * std::cos(0.3 * degree) * std::sin(0.35 * degree), 1e-14);
  EXPECT_EQ(lateral(silicon(), k, 0.2 * degree, 0.2 * degree, 0)[0], 0);
  // A medium above bends the beam before it arrives: the wave is longer there.
  Stack water = silicon();
  water.layers[0].delta = 1e-3;
  EXPECT_IS(lateral(water, k, 0.2 * degree, 0.3 * degree, 0.35 * degree)[1], 0.999 * q[1], 1e-14);
}

TEST(Dwba, ContrastIsThatOfScatteringLengthDensities) {
  const Layer layer{"film", 50, 3e-6, 5e-7, 0};
  const Complex is = contrast(layer, k, 2.97e-5, 2.08e-6);
  const double perDelta = 2 * std::numbers::pi / (0.124 * 0.124);
  EXPECT_IS(is, -perDelta * Complex(2.97e-5 - 3e-6, 5e-7 - 2.08e-6), 4e-5);
  const auto squared = [](double delta, double beta) {
    return Complex(1 - delta, beta) * Complex(1 - delta, beta);
  };
  EXPECT_IS(is, k * k / (4 * std::numbers::pi) * (squared(2.97e-5, 2.08e-6) - squared(3e-6, 5e-7)),
            1e-11);
  EXPECT_EQ(contrast(layer, k, 3e-6, 5e-7), 0.0);
}

} // namespace
} // namespace facet::test
