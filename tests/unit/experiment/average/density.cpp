// density.cpp - tables of densities: their Gauss rules against closed forms, sets of orientations
// against other densities and sums over cells, what is refused.
#include "runtime/scattering/sample/density.h"
#include "scratch.h"
#include <cmath>
#include <facet/runtime/experiment.h>
#include <numbers>

using namespace facet::runtime;
using namespace facet::test;

namespace {
constexpr double pi = std::numbers::pi, radian = pi / 180;

Orientations tableOf(std::vector<double> theta, std::vector<double> phi, const auto &density) {
  Orientations how{.average = "table", .theta = std::move(theta), .phi = std::move(phi)};
  for (const double t : how.theta)
    for (const double p : how.phi.empty() ? std::vector<double>{0} : how.phi)
      how.density.push_back(density(t * radian, p * radian));
  return how;
}
std::vector<double> steps(double from, double to, int n) {
  std::vector<double> all;
  for (int i = 0; i <= n; ++i)
    all.push_back(from + (to - from) * i / n);
  return all;
}

/// Means of a value of the axis u by the set and by its half.
std::pair<double, double> means(const Orientations &how, const auto &value, double qRadius = 6) {
  const auto set = orientationsOf(*findAverage(how.average), anglesFor(how, qRadius), how, {});
  double mean = 0, half = 0, all = 0, allHalf = 0;
  for (const Orientation &one : set) {
    const double v = value(Vec3{one.rotation[2], one.rotation[5], one.rotation[8]});
    mean += one.weight * v;
    half += one.half * v;
    all += one.weight;
    allHalf += one.half;
  }
  EXPECT_NEAR(all, 1, 1e-12);
  EXPECT_NEAR(allHalf, 1, 1e-12);
  return {mean, half};
}
double power(double x, int n) { return std::pow(x, n); }
} // namespace

// A density theta, from 0 to pi: u^n of its rule beside the integral by parts, of n odd and even.
TEST(Densities, GaussRulesAreExactForTwiceTheirNodes) {
  const DensityTable table(tableOf({0, 180}, {}, [](double t, double) { return t; }));
  for (const int m : {2, 5, 11, 40}) {
    const GaussRule rule = table.tiltRule(0, m);
    ASSERT_EQ(rule.at.size(), static_cast<std::size_t>(m));
    for (int n = 0; n < 2 * m; ++n) {
      double sum = 0;
      for (std::size_t i = 0; i < rule.at.size(); ++i)
        sum += rule.weight[i] * power(std::cos(rule.at[i]), n);
      // -t u^{n+1} / (n + 1), and the integral of u^{n+1} over t: 0, or pi (n)!! / (n + 1)!!
      double wallis = n % 2 == 1 ? pi : 0;
      for (int k = n + 1; k > 1 && n % 2 == 1; k -= 2)
        wallis *= (k - 1.0) / k;
      const double wanted = ((n % 2 == 1 ? -pi : pi) + wallis) / (n + 1);
      EXPECT_NEAR(sum, wanted, 1e-12) << m << " nodes, u^" << n;
    }
  }
}

TEST(Densities, AFlatTableIsGaussLegendre) {
  const DensityTable table(tableOf(steps(0, 180, 7), {}, [](double, double) { return 3; }));
  const GaussRule rule = table.tiltRule(0, 24), wanted = gaussRule(24);
  for (std::size_t i = 0; i < 24; ++i) {
    EXPECT_NEAR(std::cos(rule.at[i]), -wanted.at[i], 1e-13);
    EXPECT_NEAR(rule.weight[i], 3 * wanted.weight[i], 1e-13);
  }
}

// A narrow peak has as many nodes as the rule is for.
TEST(Densities, APeakBetweenTwoValuesHasItsMoments) {
  const Orientations how = tableOf(
      {0, 59, 60, 61, 180}, {}, [](double t, double) { return std::abs(t / radian - 60) < 0.5; });
  const auto [mean, half] = means(how, [](const Vec3 &u) { return u[2]; });
  // of sin t cos t (1 - |t - t0| / h): by s = sin h / h of a hat, for twice the angle and once
  const double h = radian, hat1 = std::pow(std::sin(h / 2) / (h / 2), 2),
               hat2 = std::pow(std::sin(h) / h, 2);
  const double wanted = 0.5 * std::sin(2 * pi / 3) * hat2 / (std::sin(pi / 3) * hat1);
  EXPECT_NEAR(mean, wanted, 1e-12);
  EXPECT_NEAR(half, wanted, 1e-12);
}

// Lines between values are off by h^2 / 8 of the second derivative, relative to the mean density.
TEST(Densities, ATableOfMaierAndSaupesIsOffByItsSteps) {
  constexpr double kappa = 4;
  const auto density = [](double t, double) {
    return std::exp(kappa * (std::cos(t) * std::cos(t) - 1));
  };
  const auto square = [](const Vec3 &u) { return u[2] * u[2]; };
  const double wanted = means({.average = "maier-saupe", .kappa = kappa}, square).first;
  double before = 0;
  for (const int n : {30, 60, 120}) {
    const double off = means(tableOf(steps(0, 180, n), {}, density), square).first - wanted,
                 h = pi / n, bound = h * h / 8 * 2 * kappa * 2 / maierSaupeIntegral(kappa);
    EXPECT_LT(std::abs(off), bound) << n;
    EXPECT_GT(std::abs(off), 0.01 * bound) << n;
    if (before != 0) {
      EXPECT_NEAR(before / off, 4, 0.1) << n;
    }
    before = off;
    const double mirrored = means(tableOf(steps(0, 90, n / 2), {}, density), square).first;
    EXPECT_NEAR(mirrored - wanted, off, 1e-12) << n;
  }
}

// Values with phi, uneven steps: beside sums over midpoints of 400 x 400 parts of each cell.
TEST(Densities, TablesThatTurnBesideSumsOverCells) {
  const std::vector<double> theta{0, 50, 80, 120, 180}, phi{-30, 60, 100, 250};
  const Orientations how = tableOf(theta, phi, [](double t, double p) {
    return 1 + std::sin(3 * t + 1) * std::cos(p) + (p > 1.5 ? 0.7 : 0);
  });
  const auto value = [](const Vec3 &u) {
    return u[0] + 2 * u[1] * u[2] + 3 * u[0] * u[0] * u[2] + 0.5 * u[1] * u[1];
  };
  double sum = 0, all = 0;
  constexpr int n = 400;
  for (std::size_t i = 0; i + 1 < theta.size(); ++i)
    for (std::size_t k = 0; k < phi.size(); ++k) {
      const std::size_t next = (k + 1) % phi.size();
      const double dt = theta[i + 1] - theta[i],
                   dp = (next == 0 ? phi[0] + 360 : phi[next]) - phi[k];
      for (int a = 0; a < n; ++a)
        for (int b = 0; b < n; ++b) {
          const double s = (a + 0.5) / n, r = (b + 0.5) / n, t = (theta[i] + s * dt) * radian,
                       p = (phi[k] + r * dp) * radian;
          const auto at = [&](std::size_t x, std::size_t y) {
            return how.density[x * phi.size() + y];
          };
          const double density = (1 - s) * ((1 - r) * at(i, k) + r * at(i, next)) +
                                 s * ((1 - r) * at(i + 1, k) + r * at(i + 1, next)),
                       weight = density * std::sin(t) * dt * dp;
          all += weight;
          sum +=
              weight * value({std::sin(t) * std::cos(p), std::sin(t) * std::sin(p), std::cos(t)});
        }
    }
  const auto [mean, half] = means(how, value);
  EXPECT_NEAR(mean, sum / all, 3e-6); // of the midpoints: with half as many 4 times as much
  EXPECT_NEAR(half, mean, 1e-4);
}

// What is mirrored is the same written out.
TEST(Densities, MirroredTablesThatTurn) {
  const auto density = [](double t, double p) {
    return 2 + std::cos(t) * std::cos(t) + std::sin(t) * std::cos(t) * std::cos(p + 0.3);
  };
  const std::vector<double> phi = steps(0, 350, 35);
  const Orientations whole = tableOf(steps(0, 180, 18), phi, density),
                     half = tableOf(steps(0, 90, 9), phi, density);
  for (const int k : {0, 1, 2}) {
    const auto value = [k](const Vec3 &u) { return u[static_cast<std::size_t>(k)] * (u[2] + 0.2); };
    EXPECT_NEAR(means(whole, value).first, means(half, value).first, 1e-10) << k;
  }
}

TEST(Densities, TablesGoAboutTheirDirector) {
  Orientations how = tableOf(steps(0, 180, 36), steps(0, 360, 24), [](double t, double p) {
    return 1.2 + std::cos(t) + 0.5 * std::sin(t) * std::cos(p);
  });
  const auto at = [&](std::size_t k) {
    return means(how, [k](const Vec3 &u) { return u[k]; }).first;
  };
  const double along = at(2), across = at(0);
  EXPECT_GT(across, 0.1);
  how.director = {0, 2, 0}; // z becomes y; x, about it, becomes -z
  EXPECT_NEAR(at(1), along, 1e-10);
  EXPECT_NEAR(at(2), -across, 1e-10);
  EXPECT_NEAR(at(0), 0, 1e-10);
}

TEST(Densities, Refuse) {
  const auto table = [](std::vector<double> theta, std::vector<double> phi,
                        std::vector<double> density) {
    return DensityTable({.theta = std::move(theta), .phi = std::move(phi), .density = density});
  };
  EXPECT_SAYS(table({0, 180}, {}, {1, 2, 3}), "2 theta and 1 phi has 3 densities, not 2");
  EXPECT_SAYS(table({0, 90, 80, 180}, {}, {1, 2, 3, 4}),
              "theta of the table do not ascend: number 3 is 80");
  EXPECT_SAYS(table({0, 180}, {0, 0}, {1, 2, 3, 4}),
              "phi of the table do not ascend: number 2 is 0");
  EXPECT_SAYS(table({0, 120}, {}, {1, 2}), "theta go from 0 to 120");
  EXPECT_SAYS(table({10, 180}, {}, {1, 2}), "theta go from 10 to 180");
  EXPECT_SAYS(table({0, 180}, {0, 400}, {1, 2, 3, 4}), "phi go from 0 to 400, more than a turn");
  EXPECT_SAYS(table({0, 180}, {}, {1, -2}), "density 2 of the table is -2");
  EXPECT_SAYS(table({0, 180}, {}, {1, NAN}), "density 2 of the table is nan");
  EXPECT_SAYS(table({0, 180}, {}, {0, 0}), "all densities of the table are 0");
}
