// curve.cpp - curves of bodies in closed form, whose stated error holds the true one; size
// distributions are those of sasmodels; what a cut at three sigmas costs.
#include "bodies.h"
#include "runtime/experiment/average/orientation.h"
#include "scratch.h"
#include <facet/runtime/mesh_stream.h>

using namespace facet::runtime;
using namespace facet::test;

namespace {

std::vector<double> boxQ() {
  std::vector<double> q;
  for (const Known &known : boxAverages)
    q.push_back(known.q);
  return q;
}

Options boxOptions() {
  Options options;
  options.radius = boxRadius;
  options.volume = boxVolume;
  return options;
}

double ball10(const std::array<double, 3> &q) {
  return 4 * std::numbers::pi / 3 * 1000 * ballF(10 * std::hypot(q[0], q[1], q[2]));
}

/// F of the box moved off the origin: complex, and |F|^2 is the same.
Amplitudes moved(const Grid &grid) {
  Amplitudes a;
  for (std::int64_t i = 0; i < grid.size(); ++i) {
    const auto q = grid.at(i);
    a.f.push_back(boxF({q[0].real(), q[1].real(), q[2].real()}) *
                  std::polar(1.0, 3 * q[0].real() - 8 * q[2].real()));
  }
  return a;
}

} // namespace

TEST(Curve, OfTheBox) {
  Counted box{boxF};
  const Curve curve = averagedCurve(boxQ(), box.function(), boxOptions());
  for (std::size_t i = 0; i < curve.q.size(); ++i) {
    const double exact = boxAverages[i].p * boxVolume; // <|F|^2> / V
    EXPECT_NEAR(curve.intensity[i] / exact, 1, curve.q[i] < 4 ? 3e-12 : 1e-9) << curve.q[i];
    // the stated error, and the rounding of the value known
    EXPECT_LE(std::abs(curve.intensity[i] - exact), curve.deviation[i] + 3e-12 * exact);
    EXPECT_LE(curve.deviation[i], 1e-4 * exact) << "says far more than there is";
  }
  EXPECT_EQ(box.calls, 5);                      // a band each
  EXPECT_EQ(curve.directions.front(), 16 * 16); // ceil(1.87) + 12 = 14, in steps of 8
}

TEST(Curve, StatedErrorsHoldTheTrueOnes) {
  // A radius that is too small makes the rules fail, to every degree.
  const std::vector<double> q{0.5, 1, 1.5, 2, 2.5, 3, 4, 5};
  const Curve truth = averagedCurve(q, moved, boxOptions());
  int poor = 0;
  for (double part : {0.6, 0.7, 0.8, 0.9}) {
    Options options = boxOptions();
    options.radius *= part;
    const Curve curve = averagedCurve(q, moved, options);
    for (std::size_t i = 0; i < q.size(); ++i) {
      const double error = std::abs(curve.intensity[i] - truth.intensity[i]);
      EXPECT_LE(error, curve.deviation[i] + truth.deviation[i]) << q[i] << " " << part;
      poor += error > 1e-3 * truth.intensity[i];
    }
  }
  EXPECT_GT(poor, 5); // some were poor indeed
}

TEST(Curve, OfTheBallNeedsOneDirection) {
  Counted ball{ball10};
  Options options;
  options.radius = 10;
  options.volume = 4 * std::numbers::pi / 3 * 1000;
  const std::vector<double> q{0, 0.01, 0.3, 0.45, 2};
  const Curve curve = averagedCurve(q, ball.function(), options);
  for (std::size_t i = 0; i < q.size(); ++i)
    EXPECT_NEAR(curve.intensity[i], options.volume * ballP(10 * q[i]), 1e-12 * options.volume);
}

TEST(Curve, OfBallsOfManySizes) {
  Counted ball{ball10};
  Options options;
  options.radius = 10;
  options.volume = 4 * std::numbers::pi / 3 * 1000;
  options.sizes = sizesOf({"schulz", 0.2, 30, 5});
  const std::vector<double> q{0.05, 0.3, 0.449, 1.3};
  const Curve curve = averagedCurve(q, ball.function(), options);
  for (std::size_t i = 0; i < q.size(); ++i) {
    double above = 0, below = 0; // sum w V^2 P / sum w V
    for (const Size &size : options.sizes) {
      const double volume = options.volume * std::pow(size.scale, 3);
      above += size.weight * volume * volume * ballP(10 * q[i] * size.scale);
      below += size.weight * volume;
    }
    EXPECT_NEAR(curve.intensity[i] / (above / below), 1, 1e-12) << q[i];
  }
}

TEST(Curve, HalfASphereDoesForRealDensities) {
  Options options = boxOptions();
  const Curve half = averagedCurve({1.5}, moved, options);
  options.realDensity = false;
  const Curve whole = averagedCurve({1.5}, moved, options);
  EXPECT_NEAR(half.intensity[0] / whole.intensity[0], 1, 1e-11);
  EXPECT_EQ(2 * half.directions[0], whole.directions[0]);
}

TEST(Curve, OtherDensitiesTakeTheWholeSphere) {
  // e^{iq.a} + i e^{-iq.a}: |F|^2 = 2 + 2 sin(2 q.a), 2 on average over the whole sphere
  const auto absorbing = [](const Grid &grid) {
    Amplitudes a;
    for (std::int64_t i = 0; i < grid.size(); ++i) {
      const double u = 4 * grid.at(i)[1].real();
      a.f.push_back(std::polar(1.0, u) + std::complex<double>(0, 1) * std::polar(1.0, -u));
    }
    return a;
  };
  Options options;
  options.radius = 4;
  EXPECT_GT(std::abs(averagedCurve({0.5}, absorbing, options).intensity[0] - 2), 0.1);
  options.realDensity = false;
  EXPECT_NEAR(averagedCurve({0.5}, absorbing, options).intensity[0], 2, 1e-12);
}

TEST(Curve, TheErrorOfFCounts) {
  Counted box{boxF};
  const double exact = boxAverages[3].p * boxVolume * boxVolume;
  box.error = 1e-3 * std::sqrt(exact);
  Options options = boxOptions();
  options.volume = 0; // <|F|^2> itself
  const Curve curve = averagedCurve({2}, box.function(), options);
  EXPECT_NEAR(curve.intensity[0] / exact, 1, 1e-11);
  EXPECT_NEAR(curve.deviation[0] / exact, 2e-3, 1e-4);
}

TEST(Curve, ExtentOfMeshes) {
  const Mesh box = makeMesh("box", {{"size", {20, 30, 10}}});
  EXPECT_NEAR(summarise(*blocksOf(std::make_shared<const Mesh>(box))).farthest, boxRadius, 1e-12);
}

TEST(Curve, Refusals) {
  Counted box{boxF};
  Options options = boxOptions();
  EXPECT_SAYS(averagedCurve({-1}, box.function(), options), "|q| number 1 is -1");
  EXPECT_SAYS(averagedCurve({1e9}, box.function(), options), "out of reach");
  EXPECT_SAYS(averagedCurve({3001 / options.radius}, box.function(), options), "R is 3e+03");
  options.radius = 0;
  EXPECT_SAYS(averagedCurve({1}, box.function(), options),
              "half the largest extent tells how many directions");
}

namespace {
double moment(const std::vector<Size> &sizes, int power) {
  double sum = 0;
  for (const Size &size : sizes)
    sum += size.weight * std::pow(size.scale, power);
  return sum;
}

/// I(0) / V of balls: the mean of V^2 over the mean of V.
double forward(const std::vector<Size> &sizes) { return moment(sizes, 6) / meanCube(sizes); }

/// I(q) / V of balls, x = q R at scale 1.
double balls(const std::vector<Size> &sizes, double x) {
  double sum = 0;
  for (const Size &size : sizes)
    sum += size.weight * std::pow(size.scale, 6) * ballP(x * size.scale);
  return sum / meanCube(sizes);
}
} // namespace

TEST(Sizes, DefaultsAreThoseOfSasmodels) {
  const SizeSpread gaussian = withDefaults({"gaussian", 0.1}),
                   schulz = withDefaults({"schulz", 0.1});
  EXPECT_EQ(gaussian.points, 35);
  EXPECT_EQ(gaussian.nsigmas, 3);
  EXPECT_EQ(withDefaults({"lognormal", 0.1}).points, 80);
  EXPECT_EQ(schulz.points, 80);
  EXPECT_EQ(schulz.nsigmas, 8);
  EXPECT_EQ(withDefaults({"gaussian", 0.1, 11, 2}).points, 11);
}

// sasmodels 1.1.0: weights.get_weights(GaussianDispersion(), 5, 0.2, 2, 1, [0, inf], True) and so
// on, divided by the sum of the weights.
TEST(Sizes, AreThoseOfSasmodels) {
  struct Case {
    const char *type;
    std::vector<double> weights;
  };
  const std::vector<double> scales{0.6, 0.8, 1, 1.2, 1.4};
  for (const Case &c : {Case{"gaussian",
                             {0.054488684549642938, 0.2442013420032334, 0.4026199468942474,
                              0.24420134200323312, 0.054488684549643007}},
                        Case{"lognormal",
                             {0.02598138129856966, 0.27289040635939654, 0.40680736857912808,
                              0.22374429169173335, 0.070576552071172291}},
                        Case{"schulz",
                             {0.041969498166046219, 0.28183248205085176, 0.40212303165539287,
                              0.21539540966430576, 0.05867957846340327}},
                        Case{"uniform",
                             {0.20000000000000001, 0.20000000000000001, 0.20000000000000001,
                              0.20000000000000001, 0.20000000000000001}}}) {
    const auto sizes = sizesOf({c.type, 0.2, 5, c.type[0] == 'u' ? 0.0 : 2.0});
    ASSERT_EQ(sizes.size(), 5U) << c.type;
    for (std::size_t i = 0; i < 5; ++i) {
      EXPECT_NEAR(sizes[i].scale, c.type[0] == 'u' ? 0.8 + 0.1 * static_cast<double>(i) : scales[i],
                  1e-15)
          << c.type;
      EXPECT_NEAR(sizes[i].weight, c.weights[i], 1e-14) << c.type << " " << i;
    }
  }
}

TEST(Sizes, AreAboveZeroAndWhole) {
  for (const std::string &type : sizeTypes()) {
    const auto sizes = sizesOf({type, 0.3, 60, type == "uniform" ? 0.0 : 8.0});
    EXPECT_NEAR(moment(sizes, 0), 1, 1e-14) << type;
    EXPECT_GT(sizes.front().scale, 0) << type;
    EXPECT_LT(sizes.size(), type == "uniform" ? 61U : 60U) << type; // clipped
  }
  EXPECT_EQ(sizesOf({"schulz", 0}).size(), 1U);
  EXPECT_EQ(sizesOf({"schulz", 0.1, 1}).front().scale, 1);
}

// Moments of the whole distributions: gaussian <s^6> = 1 + 15 w^2 + 45 w^4 + 15 w^6; lognormal
// <s^n> = e^{n^2 w^2 / 2}; schulz <s^n> = (z)(z + 1)..(z + n - 1) / z^n.
TEST(Sizes, CuttingAtThreeSigmasCosts) {
  const double w = 0.15, w2 = w * w, z = 1 / w2;
  const double gaussian = (1 + 15 * w2 + 45 * w2 * w2 + 15 * w2 * w2 * w2) / (1 + 3 * w2);
  const double lognormal = std::exp(13.5 * w2), schulz = (z + 3) * (z + 4) * (z + 5) / (z * z * z);
  const auto cost = [&](const char *type, int points, double nsigmas, double exact) {
    return forward(sizesOf({type, w, points, nsigmas})) / exact - 1;
  };
  EXPECT_NEAR(cost("gaussian", 35, 3, gaussian), -0.005, 5e-4);
  EXPECT_NEAR(cost("lognormal", 35, 3, lognormal), -0.033, 5e-4);
  EXPECT_NEAR(cost("schulz", 35, 3, schulz), -0.017, 5e-4);
  // the defaults of these types go far enough
  EXPECT_NEAR(cost("lognormal", 0, 0, lognormal), 0, 1e-5);
  EXPECT_NEAR(cost("schulz", 0, 0, schulz), 0, 1e-6);
}

// <x^6> of the distribution: lognormal e^{18 w^2}, schulz prod (1 + k w^2), gaussian as above, uniform
// ((1 + w)^7 - (1 - w)^7) / (14 w).
TEST(Sizes, LossIsOfTheMomentsThatScatter) {
  for (const double w : {0.05, 0.1, 0.3, 0.5}) {
    const double w2 = w * w;
    double schulz = 1;
    for (int k = 0; k < 6; ++k)
      schulz *= 1 + k * w2;
    const std::map<std::string, double> sixth{
        {"lognormal", std::exp(18 * w2)},
        {"schulz", schulz},
        {"uniform", (std::pow(1 + w, 7) - std::pow(1 - w, 7)) / (14 * w)},
        {"gaussian", 1 + 15 * w2 + 45 * w2 * w2 + 15 * w2 * w2 * w2}};
    for (const auto &[type, exact] : sixth) {
      const double off = std::abs(exact / moment(sizesOf({type, w}), 6) - 1);
      if (type == "gaussian" && w > 0.2) // it ends at 0
        continue;
      EXPECT_GE(lossOf({type, w}), off - 1e-9) << type << " " << w;
      EXPECT_LE(lossOf({type, w}), 1.1 * off + 1e-9) << type << " " << w;
    }
  }
  EXPECT_NEAR(lossOf({"lognormal", 0.5}), 90.0171 / 53.5 - 1, 2e-3);
  EXPECT_EQ(lossOf({"schulz", 0}), 0);
  ASSERT_TRUE(remarkOn({"lognormal", 0.5}));
  EXPECT_HAS(remarkOn({"lognormal", 0.5})->text, "end before those that scatter most");
  EXPECT_FALSE(remarkOn({"lognormal", 0.1}));
  ASSERT_TRUE(remarkOn({"uniform", 0.5})); // of which a larger nsigmas is refused
  EXPECT_HAS(remarkOn({"uniform", 0.5})->help, "more points");
  EXPECT_FALSE(remarkOn({"uniform", 0.5, 1001}));
}

// A curve of balls: its stated error holds what the sizes leave out, and what few of them miss.
TEST(Sizes, StatedErrorsHoldTheSizes) {
  for (const SizeSpread &spread : {SizeSpread{"lognormal", 0.5},
                                   {"lognormal", 0.3},
                                   {"schulz", 0.5},
                                   {"gaussian", 0.1, 3, 3},
                                   {"gaussian", 0.2},
                                   {"uniform", 0.4}}) {
    const double sixth = spread.type == "lognormal"
                             ? std::exp(18 * spread.width * spread.width)
                             : moment(sizesOf({spread.type, spread.width, 4001,
                                               spread.type == "schulz"    ? 30.0
                                               : spread.type == "uniform" ? 0.0
                                                                          : 10.0}),
                                      6);
    CurveOptions options;
    options.radius = 1;
    options.sizes = sizesOf(spread);
    const std::vector<double> q{1e-4};
    const auto bands = bandsOf(q, options);
    std::vector<std::vector<std::vector<SphereSums>>> sums; // <|F|^2> = 1 on every sphere
    for (const Band &band : bands)
      sums.emplace_back(band.spheres.size(), std::vector<SphereSums>{{1, 1, 1}});
    const Curve curve = curveOf(q, bands, sums, std::vector<double>(bands.size()), lossOf(spread));
    EXPECT_LE(std::abs(curve.intensity[0] - sixth), curve.deviation[0] * 1.001) << spread.type;
    EXPECT_GT(curve.deviation[0], 0) << spread.type;
  }
}

TEST(Sizes, FortyEquidistantPointsDo) {
  const auto fine = sizesOf({"gaussian", 0.15, 4001, 5}),
             forty = sizesOf({"gaussian", 0.15, 40, 5}),
             thirty = sizesOf({"gaussian", 0.15, 30, 5});
  double worst = 0, poorer = 0;
  for (double x = 1; x <= 48; x += 0.1) {
    worst = std::max(worst, std::abs(balls(forty, x) / balls(fine, x) - 1));
    poorer = std::max(poorer, std::abs(balls(thirty, x) / balls(fine, x) - 1));
  }
  EXPECT_LT(worst, 3e-6);
  EXPECT_GT(poorer, 5e-4);
}

TEST(Sizes, Refusals) {
  EXPECT_SAYS(sizesOf({"lognormall", 0.1}), "did you mean 'lognormal'?");
  EXPECT_SAYS(sizesOf({"gaussian", -0.1}), "the width is");
  EXPECT_SAYS(sizesOf({"gaussian", 0.1, -5}), "must be greater than 0");
  EXPECT_SAYS(sizesOf({"uniform", 0.1, 5, 3}), "all sizes within its width");
}
