// bound.cpp - the measured error of every rule stays below its bound, and not far below; the
// sharper bound for real q holds too, is sharp, and turns round.
#include "runtime/engine/sum/nodes/rules.h"
#include "triangles.h"
#include <gtest/gtest.h>

namespace {

using namespace facet::test;
using namespace facet::runtime;

/// Rounding of nodes and weights in double, and of the difference in long double.
constexpr double rounding = 1e-15;

/// The error on e^{iu}; `linear`: the sum of those on l e^{iu}, l = 1 at one corner and 0 at the
/// others.
double errorOfRule(const Corners &corners, const Wave &q, const Rule &rule, bool linear) {
  if (!linear)
    return errorOf(corners, q, rule.nodes);
  double sum = 0;
  for (int corner = 0; corner < 3; ++corner)
    sum += errorOf(corners, q, rule.nodes, corner);
  return sum;
}

/// The error over its bound, for one rule on a random triangle; the bound in `bound`. `linear`: of
/// the corner where it is largest.
double ratio(Random &random, const Rule &rule, double x, bool complex, double thin, double &bound,
             bool linear = false) {
  const Corners corners = randomTriangle(random, thin);
  const Wave q = randomWave(random, corners, x, complex);
  const PhaseRange range = phaseRange(TriangleShape(corners, noRotation), shellOf(q));
  bound = std::exp(logBound(rule.degree - (linear ? 1 : 0), range));
  double error = linear ? 0 : errorOf(corners, q, rule.nodes);
  for (int corner = 0; linear && corner < 3; ++corner)
    error = std::max(error, errorOf(corners, q, rule.nodes, corner));
  return std::max(error - rounding * std::exp(range.s), 0.0) / bound;
}

TEST(Bound, HoldsOnRandomTriangles) {
  Random random;
  for (const bool complex : {false, true})
    for (const double thin : {1.0, 1e-3, 1e-9, 0.0})
      for (const Rule &rule : rules())
        for (int k = 0; k < 60; ++k) {
          double bound = 0;
          const double x = random.logarithmic(1e-6, 20);
          EXPECT_LE(ratio(random, rule, x, complex, thin, bound, k % 2 == 0), 1)
              << "degree " << rule.degree << ", x " << x << (complex ? ", complex" : ", real");
        }
}

TEST(Bound, IsNotSilly) {
  // Among a hundred triangles the bound is met at a phase less than five times what it allows.
  Random random;
  for (const bool complex : {false, true})
    for (const Rule &rule : rules()) {
      double most = 0;
      for (int k = 0; k < 100; ++k) {
        double bound = 0;
        const double found = ratio(random, rule, rule.degree / 4.0 + 0.5, complex, 1, bound);
        if (bound < 1)
          most = std::max(most, found);
      }
      EXPECT_GE(std::pow(most, 1.0 / (rule.degree + 1)), 0.2)
          << "degree " << rule.degree << (complex ? ", complex" : ", real");
    }
}

TEST(Bound, IsNeverAboveTheTaylorRemainder) {
  for (const Rule &rule : rules())
    for (const double x : {1e-6, 0.1, 1.0, 5.0, 20.0}) {
      const PhaseRange range{x, 0.9 * x, 0.3 * x, 0.4 * x};
      const int order = rule.degree + 1;
      const double taylor = std::log(2) + order * std::log(x) - std::lgamma(order + 1) + range.s;
      EXPECT_LE(logBound(rule.degree, range), taylor + 1e-12);
      EXPECT_LE(logBound(rule.degree, range), std::log(2) + range.s + 1e-12);
    }
}

TEST(Bound, FallsWithTheDegreeAndWithTheCut) {
  for (const double x : {1e-6, 0.1, 1.0, 5.0, 20.0})
    for (int degree = 1; degree < 20; ++degree) {
      const PhaseRange range{x, 0.8 * x, 0, 0};
      EXPECT_GE(logBound(degree, range), logBound(degree + 1, range));
      EXPECT_GE(logBound(degree, range), logBound(degree, range, 2));
    }
}

TEST(Bound, IsZeroForAPointAndRefusesNaN) {
  EXPECT_EQ(logBound(1, {}), -INFINITY);
  EXPECT_EQ(logBound(20, {NAN, 0, 0, 0}), INFINITY);
}

/// Error over bound for rules()[rule] on a random triangle.
double momentRatio(Random &random, std::size_t rule, double x, double thin, bool linear) {
  const Corners corners = randomTriangle(random, thin);
  const Wave q = randomWave(random, corners, x, false);
  double low = 0, high = 0; // of q.(r - vertex0)
  for (const Vec3 &corner : corners) {
    facet::real u = 0;
    for (std::size_t k = 0; k < 3; ++k)
      u += q[k].re * (corner[k] - corners[0][k]);
    low = std::min(low, static_cast<double>(u)), high = std::max(high, static_cast<double>(u));
  }
  return std::max(errorOfRule(corners, q, rules()[rule], linear) - rounding, 0.0) /
         momentBound(rule, (high - low) / 2 * (1 + 1e-14), linear);
}

TEST(Moments, BoundTheErrorOnRandomTriangles) {
  Random random;
  for (std::size_t rule = 0; rule < rules().size(); ++rule)
    for (const double thin : {1.0, 1e-3, 0.0})
      for (int k = 0; k < 200; ++k) {
        const double x = random.logarithmic(1e-6, 20);
        EXPECT_LE(momentRatio(random, rule, x, thin, k % 2 == 0), 1)
            << "degree " << rules()[rule].degree << " " << x;
      }
}

TEST(Moments, AreMetWithinAQuarter) {
  Random random;
  for (const bool linear : {false, true})
    for (std::size_t rule = 0; rule < rules().size(); ++rule) {
      double most = 0;
      for (int k = 0; k < (linear ? 300 : 2000); ++k)
        most =
            std::max(most, momentRatio(random, rule, rules()[rule].degree / 4.0 + 0.2, 1, linear));
      EXPECT_GE(most, 0.25) << "degree " << rules()[rule].degree << (linear ? ", linear" : "");
    }
}

TEST(Moments, AreNotAboveTheBoundByDegree) {
  for (std::size_t rule = 0; rule < rules().size(); ++rule)
    for (const double half : {1e-4, 0.1, 1.0, 3.0, 8.0})
      EXPECT_LE(std::log(momentBound(rule, half)),
                logBound(rules()[rule].degree, {half, half, 0, 0}) + 1e-9);
}

TEST(Moments, TurnRound) {
  for (std::size_t rule = 0; rule < rules().size(); ++rule)
    for (const double tolerance : {1e-12, 1e-7, 1e-3, 0.5})
      for (const bool linear : {false, true}) {
        const double half = largestHalf(rule, tolerance, linear);
        EXPECT_LE(momentBound(rule, half, linear), tolerance);
        EXPECT_GT(momentBound(rule, half * 1.001, linear), tolerance);
      }
}

TEST(Moments, AllowLongerPhasesWithTheDegreeButForTwoRules) {
  // Degree 15 and 17 are hardly better than those before; the search takes the fewest nodes.
  for (std::size_t rule = 1; rule < rules().size(); ++rule)
    EXPECT_GT(largestHalf(rule, 1e-7), 0.95 * largestHalf(rule - 1, 1e-7));
}

} // namespace
