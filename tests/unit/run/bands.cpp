// bands.cpp - with complex q.z an error is judged among the q whose waves are damped alike.
#include "runtime/plan/errors/bands.h"
#include "fixture.h"
#include "runtime/plan/errors/judge.h"
#include "runtime/plan/errors/sample.h"
#include <algorithm>

namespace facet::test {
namespace {

using Values = std::vector<std::complex<double>>;

// Im q.z from 0 to 1: with e^{-20 Im q.z} the last values are 10^9 smaller than the first.
Grid damped(bool points = false) {
  Grid g = productGrid("0", "-1:1:40", "0.1:2:40");
  for (int i = 0; i < 40; ++i)
    g.axes[2].im.push_back(i / 39.0);
  return points ? pointsOf(g) : g;
}
constexpr double radius = 10;
Values reference(const Grid &g) {
  Values f;
  for (std::int64_t i = 0; i < g.size(); ++i)
    f.push_back(std::polar(
        std::exp(-20 * g.at(i)[2].imag()) * (1.5 + std::sin(7.0 * static_cast<double>(i))), 0.1));
  return f;
}
Measured judged(const Grid &g, const Values &f, const Values &truth, double mesh = radius) {
  std::vector<Compared> compared;
  for (const Sampled &one : chooseSample(g, {}, f, mesh, {}, 1, 64)) {
    const auto at = static_cast<std::size_t>(one.at);
    compared.push_back({g.at(one.at), f[at], truth[at], 0, one.judged});
  }
  return judge(compared, 1e-5, mesh);
}

TEST(Bands, CatchABrokenResultWhereFIsSmall) {
  for (const bool points : {false, true}) {
    const Grid g = damped(points);
    const Values truth = reference(g);
    Values f = truth;
    // 10% wrong in all strongly damped q: 1e-8 of the largest |F|, far below the contract.
    for (std::int64_t i = 0; i < g.size(); ++i)
      if (g.at(i)[2].imag() > 0.85)
        f[static_cast<std::size_t>(i)] *= 1.1;
    const Measured m = judged(g, f, truth);
    EXPECT_FALSE(m.met);
    EXPECT_TRUE(m.banded);
    EXPECT_NEAR(m.error, 0.1, 0.08);
    EXPECT_GT(m.worst[2].imag(), 0.85);
  }
}

TEST(Bands, CatchNoiseOfTheSizeOfTheContractOnTheLargest) {
  // What an algorithm leaves that is accurate to 1e-6 of the largest |F| of the whole grid.
  const Grid g = damped();
  const Values truth = reference(g);
  Values f = truth;
  for (std::size_t i = 0; i < f.size(); ++i)
    f[i] += 1e-6 * std::sin(3.0 * static_cast<double>(i));
  EXPECT_FALSE(judged(g, f, truth).met);
}

TEST(Bands, PassWhatIsRightInEveryBand) {
  for (const bool points : {false, true}) {
    const Grid g = damped(points);
    const Values truth = reference(g);
    Values f = truth;
    for (auto &value : f)
      value *= 1 + 4e-6;
    const Measured m = judged(g, f, truth);
    EXPECT_TRUE(m.met);
    EXPECT_LE(m.error, 4.1e-6);
    EXPECT_GE(m.samples, 40);
  }
}

TEST(Bands, AreOneWhereQIsReal) {
  const Grid g = productGrid("0", "-1:1:40", "0.1:2:40");
  Values truth(1600, 1e-12), f = truth;
  truth[77] = f[77] = 1; // the peak; elsewhere only 1e-12 of it
  for (std::size_t i = 0; i < f.size(); ++i)
    f[i] += 1e-6;
  const Measured m = judged(g, f, truth);
  EXPECT_TRUE(m.met);
  EXPECT_FALSE(m.banded);
}

TEST(Bands, JoinDampingsThatDifferLittleOverTheMesh) {
  EXPECT_TRUE(dampedAlike(1, 1.09, 1000));
  EXPECT_FALSE(dampedAlike(1, 1.12, 1000));
  EXPECT_TRUE(dampedAlike(0, 0, 0));
  EXPECT_TRUE(dampedAlike(0, 1e-9, 1000));
  EXPECT_FALSE(dampedAlike(0, 1e-3, 1000));
  EXPECT_FALSE(dampedAlike(0.5, -0.5, 10)) << "the other end of the mesh leads";
}

TEST(Bands, EveryJudgedQHasTheLargestOfItsBandBeforeIt) {
  for (const bool points : {false, true}) {
    const Grid g = damped(points);
    const Values f = reference(g);
    const auto sample = chooseSample(g, {}, f, radius, {}, 3, 64);
    std::size_t judged = 0;
    for (std::size_t k = 0; k < sample.size(); ++k) {
      if (!sample[k].judged)
        continue;
      ++judged;
      double most = 0, found = 0;
      const auto im = [&](std::int64_t i) { return g.at(i)[2].imag(); };
      for (std::int64_t i = 0; i < g.size(); ++i)
        if (dampedAlike(im(sample[k].at), im(i), radius))
          most = std::max(most, std::abs(f[static_cast<std::size_t>(i)]));
      for (std::size_t j = 0; j <= k; ++j)
        if (dampedAlike(im(sample[k].at), im(sample[j].at), radius))
          found = std::max(found, std::abs(f[static_cast<std::size_t>(sample[j].at)]));
      EXPECT_GE(found, 0.95 * most) << k; // a list of points is binned, 3% of Im q.z
    }
    EXPECT_GE(judged, sample.size() / 2);
  }
}

TEST(Bands, TheSampleReachesFromTheLeastToTheMostDamped) {
  const Grid g = damped();
  const auto sample = chooseSample(g, {}, reference(g), radius, {}, 5, 64);
  std::vector<double> im;
  for (const Sampled &one : sample)
    im.push_back(g.at(one.at)[2].imag());
  EXPECT_EQ(*std::min_element(im.begin(), im.end()), 0);
  EXPECT_EQ(*std::max_element(im.begin(), im.end()), 1);
}

TEST(Bands, ANaNMisses) {
  const Grid g = damped();
  const Values truth = reference(g);
  EXPECT_FALSE(judged(g, Values(1600, NAN), truth).met);
}

} // namespace
} // namespace facet::test
