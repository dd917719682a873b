// chebyshev.cpp - the number of nodes keeps the tolerance, and is not much above what does.
#include "runtime/nufft/layout/chebyshev.h"
#include <algorithm>
#include <cmath>
#include <complex>
#include <gtest/gtest.h>

namespace facet::runtime {
namespace {

using Complex = std::complex<double>;

/// max over q of the interval and |c| <= 1 of the error of e^{rate q c} / e^{damping q}.
double worst(double a, int count, Complex rate, double damping) {
  const Chebyshev nodes(-a, a, count);
  std::vector<double> weight(nodes.nodes.size());
  double most = 0;
  for (int i = 0; i <= 60; ++i) {
    const double q = a * (i / 30.0 - 1);
    nodes.lagrange(q, weight.data());
    for (int j = 0; j <= 40; ++j) {
      const double c = j / 20.0 - 1;
      Complex sum = 0;
      for (std::size_t r = 0; r < weight.size(); ++r)
        sum += weight[r] * std::exp(rate * nodes.nodes[r] * c);
      most = std::max(most, std::abs(sum - std::exp(rate * q * c)) / std::exp(damping * q));
    }
  }
  return most;
}

TEST(Chebyshev, NodesOfAWaveKeepTheTolerance) {
  for (double a : {1e-3, 0.1, 1.0, 5.0, 12.0})
    for (double tolerance : {1e-2, 1e-6, 1e-11}) {
      SCOPED_TRACE(testing::Message() << a << " " << tolerance);
      const int count = chebyshevCount(a, 1, tolerance, 64);
      ASSERT_GT(count, 0);
      EXPECT_LE(worst(a, count, {0, 1}, 0), tolerance + 1e-15);
      if (count > 3) {
        EXPECT_GT(worst(a, count - 3, {0, 1}, 0), tolerance);
      }
    }
}

TEST(Chebyshev, NodesOfADecayKeepTheToleranceAtEachQ) {
  for (double a : {0.01, 0.5, 2.0, 4.0})
    for (double tolerance : {1e-2, 1e-6, 1e-11}) {
      SCOPED_TRACE(testing::Message() << a << " " << tolerance);
      const int count = chebyshevCount(a, std::exp(2 * a), tolerance, 64);
      ASSERT_GT(count, 0);
      EXPECT_LE(worst(a, count, -1, 1), tolerance + 1e-15);
      if (count > 3) {
        EXPECT_GT(worst(a, count - 3, -1, 1), tolerance);
      }
    }
}

TEST(Chebyshev, NoCountWhereTooManyNodesWouldBeNeeded) {
  EXPECT_EQ(chebyshevCount(100, 1, 1e-6, 64), 0);
  EXPECT_EQ(chebyshevCount(0, 1, 1e-14, 64), 1);
}

TEST(Chebyshev, LebesgueConstantsBoundLagrangePolynomials) {
  for (int count : {1, 2, 7, 64}) {
    EXPECT_LE(dampedLebesgue(count, 0), lebesgueBound(count) * (1 + 1e-12)) << count;
    EXPECT_GE(dampedLebesgue(count, 0), 0.8 * lebesgueBound(count)) << count;
  }
  EXPECT_NEAR(dampedLebesgue(1, 2), std::exp(2), 1e-12);
  EXPECT_LT(dampedLebesgue(7, 1), lebesgueBound(7) * std::exp(2));
}

} // namespace
} // namespace facet::runtime
