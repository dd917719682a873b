// bound.cpp - the measured error of every rule stays below its bound, and not far below.
#include "runtime/quadrature/bound.h"
#include "triangles.h"
#include <gtest/gtest.h>

namespace {

using namespace facet::test;
using facet::runtime::logBound;
using facet::runtime::noRotation;
using facet::runtime::phaseRange;
using facet::runtime::PhaseRange;
using facet::runtime::Rule;
using facet::runtime::rules;
using facet::runtime::TriangleShape;

constexpr double rounding = 1e-15; // of nodes and weights in double

/// The error over its bound, for one rule on a random triangle; the bound in `bound`.
double ratio(Random &random, const Rule &rule, double x, bool complex, double thin, double &bound) {
  const Corners corners = randomTriangle(random, thin);
  const Wave q = randomWave(random, corners, x, complex);
  const PhaseRange range = phaseRange(TriangleShape(corners, noRotation), shellOf(q));
  bound = std::exp(logBound(rule.degree, range));
  return std::max(errorOf(corners, q, rule.nodes) - rounding * std::exp(range.s), 0.0) / bound;
}

TEST(Bound, HoldsOnRandomTriangles) {
  Random random;
  for (const bool complex : {false, true})
    for (const double thin : {1.0, 1e-3, 1e-9, 0.0})
      for (const Rule &rule : rules())
        for (int k = 0; k < 60; ++k) {
          double bound = 0;
          const double x = random.logarithmic(1e-6, 20);
          EXPECT_LE(ratio(random, rule, x, complex, thin, bound), 1)
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

} // namespace
