// directions.cpp - rules on the sphere integrate what they promise, and the box to known digits.
#include "bodies.h"
#include "runtime/experiment/average/orientation.h"
#include "scratch.h"
#include <algorithm>
#include <complex>

using namespace facet::runtime;
using namespace facet::test;

namespace {

std::complex<double> harmonic(unsigned l, unsigned m, const Direction &d) {
  return std::polar(std::sph_legendre(l, m, std::acos(std::clamp(d.at[2], -1.0, 1.0))),
                    m * std::atan2(d.at[1], d.at[0]));
}

/// The largest mean of the spherical harmonics of a degree; all are 0 above 0.
double largestMean(const std::vector<Direction> &set, unsigned l) {
  double largest = 0;
  for (unsigned m = 0; m <= l; ++m) {
    std::complex<double> mean = 0;
    for (const Direction &d : set)
      mean += d.weight * harmonic(l, m, d);
    largest = std::max(largest, std::abs(mean));
  }
  return largest;
}

std::vector<Direction> gaussDirections(int m, bool half) {
  const GaussRule rule = gaussRule(m);
  std::vector<Direction> directions;
  for (std::int64_t i = 0; i < directionsOf(m, half); ++i)
    directions.push_back(gaussDirection(rule, half, i));
  return directions;
}

double boxAverage(const std::vector<Direction> &set, double q) {
  double sum = 0;
  for (const Direction &d : set)
    sum += d.weight * std::pow(boxF({q * d.at[0], q * d.at[1], q * d.at[2]}) / boxVolume, 2);
  return sum;
}

double boxError(const std::vector<Direction> &set, const Known &known) {
  return std::abs(boxAverage(set, known.q) / known.p - 1);
}

} // namespace

TEST(Gauss, IntegratesPowersUpToTwiceItsOrder) {
  for (int m : {1, 2, 7, 40}) {
    const GaussRule rule = gaussRule(m);
    for (int power = 0; power <= 2 * m; ++power) {
      double sum = 0;
      for (std::size_t i = 0; i < rule.at.size(); ++i)
        sum += rule.weight[i] * std::pow(rule.at[i], power);
      const double exact = power % 2 ? 0 : 2.0 / (power + 1);
      if (power < 2 * m) {
        EXPECT_NEAR(sum, exact, 1e-14) << m << " nodes, power " << power;
      } else if (m <= 7) {
        EXPECT_GT(std::abs(sum - exact), 1e-6) << m;
      }
    }
  }
  EXPECT_SAYS(gaussRule(0), "has 1 to 5000 nodes, not 0");
  EXPECT_SAYS(gaussRule(2000000000), "nodes, not 2000000000");
}

TEST(Directions, WeightsSumToOneAndLengthsAreOne) {
  for (const auto &set : {gaussDirections(9, true), gaussDirections(10, false)}) {
    double sum = 0;
    for (const Direction &d : set) {
      sum += d.weight;
      EXPECT_NEAR(std::hypot(d.at[0], d.at[1], d.at[2]), 1, 1e-15);
    }
    EXPECT_NEAR(sum, 1, 1e-13);
  }
  EXPECT_EQ(gaussDirections(10, true).size(), 100U);
  EXPECT_EQ(gaussDirections(10, false).size(), 200U);
}

TEST(Directions, GaussIsExactForItsDegree) {
  const int m = 8;
  for (unsigned l = 1; l < 2 * m; ++l) {
    EXPECT_LT(largestMean(gaussDirections(m, false), l), 1e-14) << l;
    if (l % 2 == 0) { // odd ones do not occur in |F|^2
      EXPECT_LT(largestMean(gaussDirections(m, true), l), 1e-14) << l;
    }
  }
  EXPECT_GT(largestMean(gaussDirections(m, false), 2 * m), 1e-3);
  EXPECT_GT(largestMean(gaussDirections(m, true), 2 * m), 1e-3);
}

TEST(Directions, HalfASphereHoldsNoOpposites) {
  for (const Direction &d : gaussDirections(7, true))
    EXPECT_GT(d.at[1], 0);
}

// The figures of docs/experiments.md.
TEST(Directions, BoxByGauss) {
  for (const Known &known : boxAverages) {
    const int m = gaussOrder(known.q * boxRadius);
    EXPECT_LT(boxError(gaussDirections(m, true), known), known.q < 4 ? 3e-12 : 3e-9) << known.q;
    EXPECT_LT(boxError(gaussDirections(m, false), known), known.q < 4 ? 3e-12 : 3e-9) << known.q;
  }
  const auto poor = gaussDirections(16, false); // 512 directions
  EXPECT_LT(boxError(poor, boxAverages[1]), 1e-8);
  EXPECT_NEAR(boxError(poor, boxAverages[2]), 2e-2, 1e-2);
  EXPECT_GT(boxError(poor, boxAverages[3]), 0.3);
}
