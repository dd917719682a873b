// curve.cpp - curves of bodies in closed form, whose stated error holds the true one.
#include "bodies.h"
#include "runtime/scattering/sample/orientation.h"
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

namespace {

/// A spheroid of half axes 6, 6 and 15 nm.
double spheroid(const std::array<double, 3> &q) {
  return ballF(std::hypot(6 * q[0], 6 * q[1], 15 * q[2]));
}

Options spheroidOptions() {
  Options options;
  options.radius = 15;
  return options;
}

/// The nodes of a rule on one meridian, with weights.
CurveDirections meridian(int nodes) {
  const GaussRule rule = gaussRule(nodes);
  CurveDirections of;
  for (int i = 0; i < nodes; ++i) {
    const double z = rule.at[static_cast<std::size_t>(i)];
    of.at.push_back({std::sqrt(1 - z * z), 0, z});
    of.weights.push_back(rule.weight[static_cast<std::size_t>(i)] / 2);
  }
  return of;
}

/// By how many of its stated errors a curve is off at most.
double offBy(const Curve &curve, const Curve &truth) {
  double worst = 0;
  for (std::size_t i = 0; i < curve.q.size(); ++i)
    worst = std::max(worst, std::abs(curve.intensity[i] - truth.intensity[i]) /
                                (curve.deviation[i] + truth.deviation[i]));
  return worst;
}

} // namespace

TEST(Curve, OfABodyOfRevolutionTakesAFewDirections) {
  const std::vector<double> q{0.05, 0.2, 0.5, 1, 1.5};
  for (const bool real : {true, false}) {
    Counted all{spheroid}, few{spheroid};
    Options options = spheroidOptions();
    options.realDensity = real;
    const Curve whole = averagedCurve(q, all.function(), options);
    options.directions.revolution = true;
    const Curve curve = averagedCurve(q, few.function(), options);
    for (std::size_t i = 0; i < q.size(); ++i)
      EXPECT_NEAR(curve.intensity[i] / whole.intensity[i], 1, 1e-9) << q[i];
    EXPECT_LE(offBy(curve, whole), 1);
    EXPECT_GT(all.points, 30 * few.points);
  }
}

TEST(Curve, OfRevolutionSaysOfAnotherBodyThatItIsNone) {
  Counted box{boxF};
  Options options = boxOptions();
  const std::vector<double> q{0.1, 0.15, 0.2, 0.3, 0.5};
  const Curve whole = averagedCurve(q, box.function(), options);
  options.directions.revolution = true;
  const Curve curve = averagedCurve(q, box.function(), options);
  for (std::size_t i = 0; i < q.size(); ++i) {
    EXPECT_GT(std::abs(curve.intensity[i] / whole.intensity[i] - 1), 1e-3) << q[i];
    EXPECT_GT(curve.deviation[i], 1e-3 * curve.intensity[i]) << q[i];
  }
}

// Every second of these nodes is the mirror image of the others: their sums are one and the same.
TEST(Curve, OfAListStatesTheErrorOfHalfOfIt) {
  Counted body{spheroid};
  Options options = spheroidOptions();
  const std::vector<double> q{0.5, 0.8, 1, 1.2, 1.5};
  const Curve whole = averagedCurve(q, body.function(), options);
  for (const int nodes : {6, 8, 9, 10, 14, 40}) {
    options.directions = meridian(nodes);
    const Curve curve = averagedCurve(q, body.function(), options);
    double off = 0, stated = 0; // at a single q the difference may pass through 0
    for (std::size_t i = 0; i < q.size(); ++i) {
      off = std::max(off, std::abs(curve.intensity[i] / whole.intensity[i] - 1));
      stated = std::max(stated, curve.deviation[i] / whole.intensity[i]);
    }
    EXPECT_LE(off, 2 * stated) << nodes;
    EXPECT_EQ(curve.directions[0], nodes);
  }
  for (std::size_t i = 0; i < q.size(); ++i) // of 40
    EXPECT_NEAR(averagedCurve(q, body.function(), options).intensity[i] / whole.intensity[i], 1,
                1e-9);
  options.directions = {false, {{0, 0, 1}}, {1}};
  const Curve one = averagedCurve(q, body.function(), options);
  EXPECT_GE(one.deviation[0], one.intensity[0]);
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
  options.sizes = sizesOf({"schulz", 0.2, 30, 5}, 0);
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
