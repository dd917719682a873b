// sizes.cpp - size distributions: those of sasmodels by name, and by a quadrature, against closed
// forms; what is stated of both.
#include "runtime/scattering/sample/sizes.h"
#include "bodies.h"
#include "scratch.h"
#include <map>
#include <utility>

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

/// By the rule of sasmodels.
SizeSpread named(const char *type, double width, int points = 0) {
  return {type, width, points, 0, "sasmodels"};
}

TEST(Sizes, DefaultsAreThoseOfSasmodels) {
  const SizeSpread gaussian = withDefaults(named("gaussian", 0.1)),
                   schulz = withDefaults(named("schulz", 0.1));
  EXPECT_EQ(gaussian.points, 35);
  EXPECT_EQ(gaussian.nsigmas, 3);
  EXPECT_EQ(withDefaults(named("lognormal", 0.1)).points, 80);
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
    const auto sizes = sizesOf({c.type, 0.2, 5, c.type[0] == 'u' ? 0.0 : 2.0}, 0);
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
    const auto sizes = sizesOf({type, 0.3, 60, type == "uniform" ? 0.0 : 8.0}, 0);
    EXPECT_NEAR(moment(sizes, 0), 1, 1e-14) << type;
    EXPECT_GT(sizes.front().scale, 0) << type;
    EXPECT_LT(sizes.size(), type == "uniform" ? 61U : 60U) << type; // clipped
  }
  EXPECT_EQ(sizesOf({"schulz", 0}, 0).size(), 1U);
  EXPECT_EQ(sizesOf({"schulz", 0.1, 1}, 0).front().scale, 1);
}

// Moments of the whole distributions: gaussian <s^6> = 1 + 15 w^2 + 45 w^4 + 15 w^6; lognormal
// <s^n> = e^{n^2 w^2 / 2}; schulz <s^n> = (z)(z + 1)..(z + n - 1) / z^n.
TEST(Sizes, CuttingAtThreeSigmasCosts) {
  const double w = 0.15, w2 = w * w, z = 1 / w2;
  const double gaussian = (1 + 15 * w2 + 45 * w2 * w2 + 15 * w2 * w2 * w2) / (1 + 3 * w2);
  const double lognormal = std::exp(13.5 * w2), schulz = (z + 3) * (z + 4) * (z + 5) / (z * z * z);
  const auto cost = [&](const char *type, int points, double nsigmas, double exact) {
    return forward(sizesOf({type, w, points, nsigmas, "sasmodels"}, 0)) / exact - 1;
  };
  EXPECT_NEAR(cost("gaussian", 35, 3, gaussian), -0.005, 5e-4);
  EXPECT_NEAR(cost("lognormal", 35, 3, lognormal), -0.033, 5e-4);
  EXPECT_NEAR(cost("schulz", 35, 3, schulz), -0.017, 5e-4);
  // the defaults of these types go far enough
  EXPECT_NEAR(cost("lognormal", 0, 0, lognormal), 0, 1e-5);
  EXPECT_NEAR(cost("schulz", 0, 0, schulz), 0, 1e-6);
}

// <x^6> of the distribution: lognormal e^{18 w^2}, schulz prod (1 + k w^2), gaussian as above,
// uniform
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
      const double off = std::abs(exact / moment(sizesOf({type, w, 0, 0, "sasmodels"}, 0), 6) - 1);
      if (type == "gaussian" && w > 0.2) // it ends at 0
        continue;
      EXPECT_GE(lossOf({type, w, 0, 0, "sasmodels"}), off - 1e-9) << type << " " << w;
      EXPECT_LE(lossOf({type, w, 0, 0, "sasmodels"}), 1.1 * off + 1e-9) << type << " " << w;
    }
  }
  EXPECT_NEAR(lossOf(named("lognormal", 0.5)), 90.0171 / 53.5 - 1, 2e-3);
  EXPECT_EQ(lossOf({"schulz", 0}), 0);
  ASSERT_TRUE(remarkOn(named("lognormal", 0.5)));
  EXPECT_HAS(remarkOn(named("lognormal", 0.5))->text, "end before those that scatter most");
  EXPECT_FALSE(remarkOn(named("lognormal", 0.1)));
  ASSERT_TRUE(remarkOn(named("uniform", 0.5))); // of which a larger nsigmas is refused
  EXPECT_HAS(remarkOn(named("uniform", 0.5))->help, "more points");
  EXPECT_FALSE(remarkOn(named("uniform", 0.5, 1001)));
}

// A curve of balls: its stated error holds what the sizes leave out, and what few of them miss.
TEST(Sizes, StatedErrorsHoldTheSizes) {
  for (const SizeSpread &spread :
       {named("lognormal", 0.5), named("lognormal", 0.3), named("schulz", 0.5),
        SizeSpread{"gaussian", 0.1, 3, 3}, named("gaussian", 0.2), named("uniform", 0.4)}) {
    const double sixth = spread.type == "lognormal"
                             ? std::exp(18 * spread.width * spread.width)
                             : moment(sizesOf({spread.type, spread.width, 4001,
                                               spread.type == "schulz"    ? 30.0
                                               : spread.type == "uniform" ? 0.0
                                                                          : 10.0},
                                              0),
                                      6);
    CurveOptions options;
    options.radius = 1;
    options.sizes = sizesOf(spread, 0);
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
  const auto fine = sizesOf({"gaussian", 0.15, 4001, 5}, 0),
             forty = sizesOf({"gaussian", 0.15, 40, 5}, 0),
             thirty = sizesOf({"gaussian", 0.15, 30, 5}, 0);
  double worst = 0, poorer = 0;
  for (double x = 1; x <= 48; x += 0.1) {
    worst = std::max(worst, std::abs(balls(forty, x) / balls(fine, x) - 1));
    poorer = std::max(poorer, std::abs(balls(thirty, x) / balls(fine, x) - 1));
  }
  EXPECT_LT(worst, 3e-6);
  EXPECT_GT(poorer, 5e-4);
}

TEST(Sizes, Refusals) {
  EXPECT_SAYS(sizesOf({"lognormall", 0.1}, 0), "did you mean 'lognormal'?");
  EXPECT_SAYS(sizesOf({"gaussian", -0.1}, 0), "the width is");
  EXPECT_SAYS(sizesOf({"gaussian", 0.1, -5}, 0), "must be greater than 0");
  EXPECT_SAYS(sizesOf({"uniform", 0.1, 5, 3}, 0), "all sizes within its width");
  EXPECT_SAYS(sizesOf({"uniform", 0.1, 0, 0, "quadratures"}, 0), "did you mean 'quadrature'?");
  EXPECT_SAYS(sizesOf({"gaussian", 0.1, 5, 0, "quadrature"}, 0), "as many sizes as it needs");
  EXPECT_SAYS(sizesOf({"lognormal", 2}, 0), "times the centre scatter");
}

namespace {

constexpr double widths[] = {0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 1};

/// <x^6> by its closed form: a gaussian that is cut at 0 by the moments of what is left.
double sixthOf(const std::string &type, double w) {
  const double w2 = w * w;
  if (type == "lognormal")
    return std::exp(18 * w2);
  if (type == "uniform")
    return (std::pow(1 + w, 7) - (w < 1 ? std::pow(1 - w, 7) : 0)) /
           (7 * (1 + w - std::fmax(0, 1 - w)));
  if (type == "schulz")
    return (1 + w2) * (1 + 2 * w2) * (1 + 3 * w2) * (1 + 4 * w2) * (1 + 5 * w2);
  // By parts, m_n = m_{n-1} + (n - 1) w^2 m_{n-2}, and for n = 1 what is at 0 is added.
  const double below = std::exp(-0.5 / w2) / std::sqrt(2 * std::numbers::pi),
               all = 0.5 * std::erfc(-1 / (w * std::numbers::sqrt2));
  double before = 1, mean = 1 + w * below / all;
  for (int n = 2; n <= 6; ++n)
    before = std::exchange(mean, mean + (n - 1) * w2 * before);
  return mean;
}

/// The density of sizes, up to a factor.
double densityOf(const std::string &type, double w, double x) {
  const double off = (x - 1) / w, z = 1 / (w * w);
  return type == "lognormal"  ? std::exp(-std::pow(std::log(x) / w, 2) / 2) / x
         : type == "gaussian" ? std::exp(-off * off / 2)
         : type == "schulz"   ? std::exp((z - 1) * std::log(x) - z * (x - 1))
                              : 1;
}

/// The mean of x^6 P(q R x) of balls over a distribution, by Simpson's rule: in ln x, where x goes
/// over many orders.
double ballsOf(const std::string &type, double w, double qRadius) {
  constexpr int steps = 400000;
  const bool byLog = type == "lognormal" || type == "schulz";
  double from = std::fmax(1e-12, 1 - 12 * w), to = 1 + 12 * w + 6 * w * w;
  if (type == "uniform")
    from = std::fmax(0, 1 - w), to = 1 + w;
  else if (byLog)
    from = -9 * w - 12 * w * w * w,
    to = type == "lognormal" ? 6 * w * w + 9 * w : std::log1p(9 * w + 40 * w * w);
  double sum = 0, all = 0;
  for (int i = 0; i <= steps; ++i) {
    const double u = from + (to - from) * i / steps, x = byLog ? std::exp(u) : u;
    const double part = (i == 0 || i == steps ? 1
                         : i % 2 == 0         ? 2
                                              : 4) *
                        densityOf(type, w, x) * (byLog ? x : 1);
    all += part;
    sum += part * std::pow(x, 6) * ballP(qRadius * x);
  }
  return sum / all;
}

/// The curve of balls of radius 1 whose F is exact.
Curve ballCurve(const std::vector<double> &q, const SizeSpread &spread) {
  CurveOptions options;
  options.radius = 1;
  options.sizes = sizesOf(spread, q.back());
  const auto bands = bandsOf(q, options);
  std::vector<std::vector<std::vector<SphereSums>>> sums;
  for (const Band &band : bands) {
    sums.emplace_back();
    for (const Sphere &sphere : band.spheres)
      sums.back().push_back({{ballP(sphere.k), ballP(sphere.k), 1}});
  }
  return curveOf(q, bands, sums, std::vector<double>(bands.size()), lossOf(spread));
}

} // namespace

// In forward direction nothing but the sizes counts: 19 to 33 of them.
TEST(Quadrature, HasTheSixthMoment) {
  for (const std::string &type : sizeTypes())
    for (const double w : widths) {
      const auto sizes = sizesOf({type, w}, 1e-4);
      EXPECT_NEAR(moment(sizes, 6) / sixthOf(type, w), 1, 1e-5) << type << " " << w;
      EXPECT_NEAR(moment(sizes, 0), 1, 1e-14) << type << " " << w;
      EXPECT_LE(sizes.size(), 33U) << type << " " << w;
      EXPECT_LT(lossOf({type, w}), 2e-5) << type << " " << w;
      EXPECT_FALSE(remarkOn({type, w})) << type << " " << w;
    }
}

// Curves of balls: the stated error holds the true one for all types, widths and q R.
TEST(Quadrature, StatedErrorsHoldForBalls) {
  const std::vector<double> q{1e-4, 0.3, 1, 3, 10, 20};
  for (const std::string &type : sizeTypes())
    for (const double w : widths) {
      const Curve curve = ballCurve(q, {type, w});
      if (w < 1) { // else the largest are past forward direction
        EXPECT_NEAR(curve.intensity[0] / sixthOf(type, w), 1, 1e-5) << type << " " << w;
      }
      for (std::size_t i = 0; i < q.size(); ++i) {
        const double exact = ballsOf(type, w, q[i]);
        EXPECT_LE(std::abs(curve.intensity[i] - exact), curve.deviation[i] + 1e-7 * exact)
            << type << " " << w << " " << q[i] << " I " << exact;
        if (w <= 0.2) { // and is of use
          EXPECT_LT(curve.deviation[i], 0.02 * exact) << type << " " << w << " " << q[i];
        }
      }
    }
}

// The shell of a ball of width 0.3 takes as few, and a wide one no more than it has to.
TEST(Quadrature, SizesFollowWhatIsAsked) {
  EXPECT_LT(sizesOf({"lognormal", 0.3}, 3).size(), 40U);
  EXPECT_GT(sizesOf({"lognormal", 0.3}, 20).size(), 80U);
  EXPECT_LE(sizesOf({"lognormal", 1}, 1e5).size(), 320U);
  EXPECT_NEAR(largestSize({"lognormal", 0.3}), sizesOf({"lognormal", 0.3}, 20).back().scale, 1e-12);
  EXPECT_EQ(largestSize({"uniform", 0.3}), 1.3);
}

// Slopes beside differences: nodes and weights are smooth in the width.
TEST(Quadrature, SlopesAreThoseOfDifferences) {
  for (const std::string &type : sizeTypes())
    for (const double w : {0.1, 0.5}) {
      constexpr double step = 1e-5, qRadius = 2;
      const auto mean = [&](double width) {
        double sum = 0;
        for (const Size &size : sizesOf({type, width}, qRadius))
          sum += size.weight * std::pow(size.scale, 6) * ballP(qRadius * size.scale);
        return sum;
      };
      DualReal sum = 0;
      for (const SizeOf<DualReal> &size : sizesAlong({type, w}, qRadius, 1, 0)) {
        const double x = size.scale.value, h = 1e-6;
        const double p = ballP(qRadius * x),
                     slope = (ballP(qRadius * (x + h)) - ballP(qRadius * (x - h))) / (2 * h);
        const DualReal cube = size.scale * size.scale * size.scale;
        sum = sum + size.weight * cube * cube * along(size.scale, p, slope);
      }
      EXPECT_NEAR(sum.slope, (mean(w + step) - mean(w - step)) / (2 * step),
                  (w < 0.2 ? 3e-4 : 1e-2) * std::abs(sum.slope))
          << type << " " << w;
    }
}
