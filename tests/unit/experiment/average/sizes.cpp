// sizes.cpp - size distributions are those of sasmodels; what a cut at three sigmas costs.
#include "bodies.h"
#include "runtime/experiment/average/orientation.h"
#include "scratch.h"

using namespace facet::runtime;
using namespace facet::test;

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
