// orientation.cpp - rules on the sphere integrate what they promise, and the box to known
// digits; sets of orientations: rotations with weights, exact for the degrees promised.
#include "runtime/scattering/sample/orientation.h"
#include "bodies.h"
#include "runtime/engine/records/geometry.h"
#include "scratch.h"
#include <algorithm>
#include <complex>
#include <facet/runtime/experiment.h>

using namespace facet::runtime;
using namespace facet::test;

namespace {

std::complex<double> harmonic(unsigned l, unsigned m, const Direction &d) {
  return std::sph_legendre(l, m, std::acos(std::clamp(d.at[2], -1.0, 1.0))) *
         std::polar(1.0, m * std::atan2(d.at[1], d.at[0]));
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

namespace {
constexpr double degree = std::numbers::pi / 180;

void expectWhole(const std::vector<Orientation> &set) {
  double weight = 0, half = 0;
  for (const Orientation &o : set) {
    weight += o.weight;
    half += o.half;
    const auto &r = o.rotation;
    for (std::size_t a = 0; a < 3; ++a)
      for (std::size_t b = 0; b < 3; ++b)
        EXPECT_NEAR(r[3 * a] * r[3 * b] + r[3 * a + 1] * r[3 * b + 1] + r[3 * a + 2] * r[3 * b + 2],
                    a == b ? 1 : 0, 1e-14);
    EXPECT_NEAR(r[0] * (r[4] * r[8] - r[5] * r[7]) - r[1] * (r[3] * r[8] - r[5] * r[6]) +
                    r[2] * (r[3] * r[7] - r[4] * r[6]),
                1, 1e-14);
  }
  EXPECT_NEAR(weight, 1, 1e-13);
  EXPECT_NEAR(half, 1, 1e-13);
}

template <class Value>
std::pair<double, double> means(const std::vector<Orientation> &set, const Value &value) {
  double weight = 0, half = 0;
  for (const Orientation &o : set) {
    const double v = value(o);
    weight += o.weight * v;
    half += o.half * v;
  }
  return {weight, half};
}

/// |F|^2 / V^2 of the box turned by o, seen at q.
double boxSeen(const Orientation &o, const std::array<double, 3> &q) {
  std::array<double, 3> own{}; // R^T q
  for (std::size_t k = 0; k < 3; ++k)
    own[k] = o.rotation[k] * q[0] + o.rotation[3 + k] * q[1] + o.rotation[6 + k] * q[2];
  return std::pow(boxF(own) / boxVolume, 2);
}
} // namespace

TEST(Orientations, EverySetIsOfRotationsAndWhole) {
  expectWhole(orientationList({{0, 0, 0}, {10, 20, 30}}, {1, 3}));
  expectWhole(orientationsAboutZ(7));
  expectWhole(allOrientations({6, 5}));
  expectWhole(tiltedOrientations(8, {6, 5}));
}

TEST(Orientations, ListsAreAsGiven) {
  const auto set = orientationList({{0, 0, 0}, {10, 20, 30}}, {1, 3});
  ASSERT_EQ(set.size(), 2U);
  EXPECT_EQ(set[1].rotation, eulerZyz({10, 20, 30}));
  EXPECT_EQ(set[1].weight, 0.75);
  EXPECT_EQ(set[1].half, set[1].weight); // nothing to estimate
  EXPECT_EQ(orientationList({{0, 0, 0}, {1, 0, 0}})[0].weight, 0.5);
  EXPECT_SAYS(orientationList({}), "the list is empty");
  EXPECT_SAYS(orientationList({{0, 0, 0}}, {1, 2}), "2 weights for 1 orientations");
  EXPECT_SAYS(orientationList({{0, 0, 0}}, {-1}), "none below 0");
  EXPECT_SAYS(orientationList({{0, 0, std::nan("")}}), "no number");
}

TEST(Orientations, AboutZTurnsByEqualAngles) {
  const auto set = orientationsAboutZ(5);
  ASSERT_EQ(set.size(), 5U + 3); // and the half rule
  EXPECT_NEAR(set[1].rotation[0], std::cos(72 * degree), 1e-15);
  EXPECT_NEAR(set[1].rotation[3], std::sin(72 * degree), 1e-15);
  EXPECT_EQ(set[1].half, 0);
  EXPECT_SAYS(orientationsAboutZ(1), "has 2 to 100000 angles, not 1");
  EXPECT_SAYS(orientationsAboutZ(1000000000), "angles, not 1000000000");
  EXPECT_SAYS(allOrientations({5000, 2500}), "of them is out of reach");
  EXPECT_SAYS(allOrientations(anglesFor(1e50)), "angles, not 200000020"); // no int holds more
  EXPECT_GT(anglesFor(std::nan("")).tilt, 1e6);
}

// J_0(q a) averages cos(q.r) over a turn, so that the box has a sum of its own; the figures of
// docs/experiments.md.
TEST(Orientations, AboutZConvergesSpectrally) {
  const std::array<double, 3> q{1, 0, 0};
  const auto value = [&](const Orientation &o) { return boxSeen(o, q); };
  const double exact = means(orientationsAboutZ(400), value).first;
  const auto error = [&](int n) {
    return std::abs(means(orientationsAboutZ(n), value).first / exact - 1);
  };
  EXPECT_LT(error(64), 3e-13);
  EXPECT_NEAR(error(32), 9e-2, 3e-2);
  const double across = 0.5 * std::hypot(20, 30);
  EXPECT_EQ(anglesFor(across).turn, 57); // 2 * 18.03 + 20
  EXPECT_LT(error(anglesFor(across).turn), 1e-9);
}

TEST(Orientations, TheHalfRuleBoundsTheError) {
  for (double q : {0.3, 1.0, 2.0})
    for (int n : {8, 16, 32, 64}) {
      const auto value = [&](const Orientation &o) { return boxSeen(o, {q, 0, 0.1}); };
      const double exact = means(orientationsAboutZ(400), value).first;
      const auto [mean, half] = means(orientationsAboutZ(n), value);
      EXPECT_LE(std::abs(mean - exact), std::abs(mean - half) + 1e-14 * exact) << q << " " << n;
    }
}

TEST(Orientations, AllAreExactForTheirDegree) {
  const AngleCounts counts{10, 5}; // degrees below 10
  const auto set = allOrientations(counts);
  for (unsigned l = 1; l <= 10; ++l)
    for (std::size_t entry = 0; entry < 9; ++entry) { // P_l of an entry is a function of degree l
      const auto [mean, half] = means(set, [&](const Orientation &o) {
        return std::legendre(l, std::clamp(o.rotation[entry], -1.0, 1.0));
      });
      EXPECT_NEAR(mean, 0, l < 10 ? 1e-14 : 1) << l << " " << entry;
      EXPECT_NEAR(half, 0, l < 5 ? 1e-14 : 1) << l << " " << entry;
    }
  EXPECT_GT(std::abs(means(set,
                           [](const Orientation &o) { // and not of more
                             return std::legendre(10, o.rotation[8]);
                           })
                         .first),
            1e-3);
  // 10 * 10 * 5, and 5 * 5 * 3 for the half
  EXPECT_EQ(set.size(), 575U);
}

TEST(Orientations, AllAgreeWithTheBoxOnSpheres) {
  const auto set = allOrientations(anglesFor(0.5 * boxRadius));
  const auto [mean, half] =
      means(set, [](const Orientation &o) { return boxSeen(o, {0.3, 0, 0.4}); });
  EXPECT_NEAR(mean / boxAverages[1].p, 1, 1e-9);
  EXPECT_LE(std::abs(mean - boxAverages[1].p), std::abs(mean - half));
}

TEST(Orientations, TiltsFollowTheirDensity) {
  // <cos beta> of exp(-beta^2/2s^2) sin beta, s = 10 degrees, by the trapezoidal rule
  const double s = 10 * degree;
  double above = 0, below = 0;
  for (int i = 0; i <= 20000; ++i) {
    const double beta = 5 * s * i / 20000,
                 d = std::sin(beta) * std::exp(-0.5 * beta * beta / s / s);
    above += d * std::cos(beta);
    below += d;
  }
  const auto up = [](const Orientation &o) { return o.rotation[8]; };
  const auto [mean, half] = means(tiltedOrientations(10, {8, 20}), up);
  EXPECT_NEAR(mean, above / below, 1e-8);
  EXPECT_NEAR(half, mean, 1e-3);
}

TEST(Orientations, FlatTextureIsAllOrientations) {
  const auto set = tiltedOrientations(1e9, {12, 20});
  for (unsigned l = 1; l < 8; ++l)
    EXPECT_NEAR(
        means(set, [&](const Orientation &o) { return std::legendre(l, o.rotation[8]); }).first, 0,
        1e-12);
}

namespace {
/// The integral by the trapezoidal rule over [from, to] in 2^20 steps, Richardson's.
double integral(double from, double to, const auto &f) {
  double sums[2] = {};
  for (const int finer : {0, 1}) {
    const int n = 1 << (18 + finer);
    for (int i = 0; i <= n; ++i)
      sums[finer] += f(from + (to - from) * i / n) * (i % n == 0 ? 0.5 : 1) * (to - from) / n;
  }
  return (4 * sums[1] - sums[0]) / 3;
}
double meanOf(const Orientations &how, const PointGroup &group, const auto &value) {
  const auto set = orientationsOf(*findAverage(how.average), anglesFor(how, 4), how, group);
  EXPECT_NEAR(means(set, [](const Orientation &) { return 1; }).first, 1, 1e-12);
  return means(set, value).first;
}
} // namespace

// Each density against its integral in closed form; means of the sets against quadrature.
TEST(Orientations, DensitiesFollowTheirFormulas) {
  for (const double kappa : {-200.0, -3.0, -1e-9, 0.0, 1e-5, 0.7, 5.0, 40.0, 900.0}) {
    const double most = std::max(kappa, 0.0);
    const auto ofAxis = [&](double u) { return std::exp(kappa * u * u - most); };
    const auto ofArrow = [&](double u) { return std::exp(kappa * u - std::abs(kappa)); };
    const double saupe = integral(-1, 1, ofAxis), fisher = integral(-1, 1, ofArrow);
    EXPECT_NEAR(maierSaupeIntegral(kappa) / saupe, 1, 1e-8) << kappa;
    EXPECT_NEAR(fisherIntegral(kappa) / fisher, 1, 1e-8) << kappa;
    Orientations how{.average = "maier-saupe", .kappa = kappa};
    const double order = integral(-1, 1, [&](double u) { return u * u * ofAxis(u); }) / saupe;
    const auto square = [](const Orientation &o) { return o.rotation[8] * o.rotation[8]; };
    const auto cosine = [](const Orientation &o) { return o.rotation[8]; };
    EXPECT_NEAR(meanOf(how, {}, square), order, 1e-8) << kappa;
    how.average = "von-mises-fisher";
    // By Langevin's function.
    const double langevin = std::abs(kappa) < 1e-4 ? kappa / 3 : 1 / std::tanh(kappa) - 1 / kappa;
    EXPECT_NEAR(meanOf(how, {}, cosine), langevin, 1e-8) << kappa;
  }
  for (const double sigma : {0.5, 5.0, 30.0, 400.0}) {
    const double s = sigma * degree;
    const auto density = [&](double a) { return std::exp(-std::pow(std::sin(a) / s, 2) / 2); };
    const double all = integral(0, 2 * std::numbers::pi, density);
    EXPECT_NEAR(cyclicIntegral(sigma) / all, 1, 1e-8) << sigma;
    const Orientations how{.average = "cyclic-gaussian", .sigma = sigma};
    const double order =
        integral(0, 2 * std::numbers::pi, [&](double a) { return std::cos(2 * a) * density(a); }) /
        all;
    EXPECT_NEAR(meanOf(how, {},
                       [](const Orientation &o) {
                         return o.rotation[0] * o.rotation[0] - o.rotation[3] * o.rotation[3];
                       }),
                order, 1e-8)
        << sigma;
  }
}

TEST(Orientations, DensitiesGoAboutTheirDirector) {
  const std::vector<double> d{1, 2, -2};
  const auto along = [&](const Orientation &o) { // the axis, along the director
    const double u = (o.rotation[2] * d[0] + o.rotation[5] * d[1] + o.rotation[8] * d[2]) / 3;
    return u;
  };
  const Orientations arrow{.average = "von-mises-fisher", .kappa = 5, .director = d};
  EXPECT_NEAR(meanOf(arrow, {}, along), 1 / std::tanh(5.0) - 0.2, 1e-9);
  // What turns about the director leaves it where it is.
  const auto set = orientationsOf(*findAverage("cyclic-gaussian"), {20, 10},
                                  {.average = "cyclic-gaussian", .sigma = 20, .director = d}, {});
  for (const Orientation &o : set)
    EXPECT_NEAR(o.rotation[0] * d[0] + o.rotation[1] * d[1] + o.rotation[2] * d[2], d[0], 1e-12);
}

// The mean of what has the symmetry of a cube is the same by a part of the orientations.
TEST(Orientations, DensitiesTakePointGroups) {
  const Matrix3 base = eulerZyz({0, 0, 20});
  const PointGroup group = pointGroupOf(posed(makeMesh("box"), {}, 1, base));
  ASSERT_EQ(group.order(), 24U);
  const auto seen = [&](const Orientation &o) {
    double value = 0; // a sum over the axes of the cube
    for (const std::array<double, 3> &axis : {std::array<double, 3>{base[0], base[3], base[6]},
                                              {base[1], base[4], base[7]},
                                              {base[2], base[5], base[8]}}) {
      const auto &r = o.rotation;
      value += std::pow(0.6 * (r[0] * axis[0] + r[1] * axis[1] + r[2] * axis[2]) +
                            0.8 * (r[6] * axis[0] + r[7] * axis[1] + r[8] * axis[2]),
                        6);
    }
    return value;
  };
  for (Orientations how : {Orientations{.average = "maier-saupe", .kappa = 4},
                           {.average = "von-mises-fisher", .kappa = -3},
                           {.average = "cyclic-gaussian", .sigma = 25},
                           {.average = "tilt", .sigma = 15}})
    for (const auto &director : {std::vector<double>{}, {0, 0, -1}}) {
      how.director = director;
      const AngleCounts counts = anglesFor(how, 4);
      const Average &average = *findAverage(how.average);
      const auto few = orientationsOf(average, counts, how, group),
                 all = orientationsOf(average, counts, how, {});
      EXPECT_LT(3 * few.size(), all.size());
      EXPECT_NEAR(means(few, seen).first, means(all, seen).first, 1e-10) << how.average;
    }
}

TEST(Orientations, TexturesRefuse) {
  EXPECT_SAYS(tiltedOrientations(0, {8, 8}), "greater than 0");
  EXPECT_SAYS(allOrientations({8, 1}), "two nodes at least");
}

namespace {
/// |F|^2 of a prism on a regular polygon, or of a frustum that narrows to 0.6, seen turned by o.
struct Tower {
  int sides; // 2: a box on a 20 x 30 base
  bool narrows;

  double seen(const Orientation &o, const std::array<double, 3> &q) const {
    const double qx = o.rotation[0] * q[0] + o.rotation[3] * q[1];
    const double qy = o.rotation[1] * q[0] + o.rotation[4] * q[1];
    if (!narrows)
      return std::norm(base(qx, qy));
    constexpr int slices = 24; // by midpoints: a stack of plates is a body, too
    std::complex<double> f = 0;
    for (int i = 0; i < slices; ++i) {
      const double z = (i + 0.5) / slices, s = 1 - 0.4 * z;
      f += s * s / slices * base(s * qx, s * qy) * std::polar(1.0, 5 * q[2] * z);
    }
    return std::norm(f);
  }

private:
  std::complex<double> corner(int i) const {
    if (sides == 2)
      return {i % 4 == 0 || i % 4 == 3 ? 10.0 : -10.0, i % 4 < 2 ? 15.0 : -15.0};
    return std::polar(10.0, 2 * std::numbers::pi * i / sides + 0.1);
  }
  // The integral of e^{iqr} over a polygon as a sum over its edges.
  std::complex<double> base(double qx, double qy) const {
    std::complex<double> sum = 0;
    for (int i = 0; i < (sides == 2 ? 4 : sides); ++i) {
      const std::complex<double> a = corner(i), b = corner(i + 1), e = b - a, m = 0.5 * (a + b);
      const double half = 0.5 * (qx * e.real() + qy * e.imag());
      sum += (qx * e.imag() - qy * e.real()) * (half == 0 ? 1 : std::sin(half) / half) *
             std::polar(1.0, qx * m.real() + qy * m.imag());
    }
    return sum / (qx * qx + qy * qy);
  }
};
} // namespace

// 34 and 17 angles are one rule for a box: both 31% off, and their difference is 0.
TEST(Orientations, NoSymmetryHidesTheErrorOfAboutZ) {
  for (const Tower body : {Tower{2, false},
                           {3, false},
                           {4, false},
                           {6, false},
                           {64, false},
                           {2, true},
                           {3, true},
                           {4, true}})
    for (const double q : {0.7, 1.5}) {
      std::vector<std::array<double, 3>> seen;
      for (int i = 0; i < 8; ++i)
        seen.push_back({q * std::cos(0.3 + 0.8 * i), q * std::sin(0.3 + 0.8 * i), 0.1});
      const auto at = [&](const std::array<double, 3> &k) {
        return [&, k](const Orientation &o) { return body.seen(o, k); };
      };
      std::vector<double> exact;
      for (const auto &k : seen)
        exact.push_back(means(orientationsAboutZ(720), at(k)).first);
      for (int n = 3; n <= 80; ++n) {
        const auto set = orientationsAboutZ(n);
        double stated = 0, off = 0;
        for (std::size_t i = 0; i < seen.size(); ++i) {
          const auto [mean, half] = means(set, at(seen[i]));
          stated = std::max(stated, std::abs(mean - half));
          off = std::max(off, std::abs(mean - exact[i]));
        }
        EXPECT_LE(off, 3 * stated + 1e-11 * exact[0])
            << body.sides << (body.narrows ? " narrows, q " : ", q ") << q << ", " << n
            << " angles";
      }
    }
}

TEST(Orientations, NoSymmetryHidesTheErrorOfAll) {
  for (const Known &known : {boxAverages[2], boxAverages[3]})
    for (const int n : {6, 10, 14, 18, 22, 26, 28, 34}) {
      const auto set = allOrientations({n, n / 2});
      double stated = 0, off = 0;
      for (const auto &at :
           {std::array<double, 3>{0.6, 0, 0.8}, {0, 1, 0}, {0.5, 0.5, std::sqrt(0.5)}}) {
        const std::array<double, 3> q{known.q * at[0], known.q * at[1], known.q * at[2]};
        const auto [mean, half] = means(set, [&](const Orientation &o) { return boxSeen(o, q); });
        stated = std::max(stated, std::abs(mean - half));
        off = std::max(off, std::abs(mean - known.p));
      }
      EXPECT_LE(off, 1.8 * stated) << known.q << ", " << n << " angles";
    }
}
