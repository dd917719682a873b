// moments.cpp - the sharper bound for real q: it holds, is sharp, and turns round.
#include "runtime/quadrature/moments.h"
#include "runtime/quadrature/bound.h"
#include "triangles.h"
#include <gtest/gtest.h>

namespace {

using namespace facet::test;
using facet::real;
using facet::runtime::largestHalf;
using facet::runtime::logBound;
using facet::runtime::momentBound;
using facet::runtime::noRotation;
using facet::runtime::phaseRange;
using facet::runtime::rules;
using facet::runtime::TriangleShape;

constexpr double rounding = 1e-15;

/// Error over bound for rules()[rule] on a random triangle.
double ratio(Random &random, std::size_t rule, double x, double thin) {
  const Corners corners = randomTriangle(random, thin);
  const Wave q = randomWave(random, corners, x, false);
  double low = 0, high = 0; // of q.(r - vertex0)
  for (const Vec3 &corner : corners) {
    real u = 0;
    for (std::size_t k = 0; k < 3; ++k)
      u += q[k].re * (corner[k] - corners[0][k]);
    low = std::min(low, static_cast<double>(u)), high = std::max(high, static_cast<double>(u));
  }
  return std::max(errorOf(corners, q, rules()[rule].nodes) - rounding, 0.0) /
         momentBound(rule, (high - low) / 2 * (1 + 1e-14));
}

TEST(Moments, BoundTheErrorOnRandomTriangles) {
  Random random;
  for (std::size_t rule = 0; rule < rules().size(); ++rule)
    for (const double thin : {1.0, 1e-3, 0.0})
      for (int k = 0; k < 200; ++k) {
        const double x = random.logarithmic(1e-6, 20);
        EXPECT_LE(ratio(random, rule, x, thin), 1) << "degree " << rules()[rule].degree << " " << x;
      }
}

TEST(Moments, AreMetWithinAQuarter) {
  Random random;
  for (std::size_t rule = 0; rule < rules().size(); ++rule) {
    double most = 0;
    for (int k = 0; k < 2000; ++k)
      most = std::max(most, ratio(random, rule, rules()[rule].degree / 4.0 + 0.2, 1));
    EXPECT_GE(most, 0.25) << "degree " << rules()[rule].degree;
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
    for (const double tolerance : {1e-12, 1e-7, 1e-3, 0.5}) {
      const double half = largestHalf(rule, tolerance);
      EXPECT_LE(momentBound(rule, half), tolerance);
      EXPECT_GT(momentBound(rule, half * 1.001), tolerance);
    }
}

TEST(Moments, AllowLongerPhasesWithTheDegreeButForTwoRules) {
  // Degree 15 and 17 are hardly better than those before; the search takes the fewest nodes.
  for (std::size_t rule = 1; rule < rules().size(); ++rule)
    EXPECT_GT(largestHalf(rule, 1e-7), 0.95 * largestHalf(rule - 1, 1e-7));
}

} // namespace
