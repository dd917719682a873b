// bands.cpp - with complex q.z an error is judged among the q whose waves are damped alike.
#include "fixture.h"
#include "runtime/engine/check/sample.h"
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
Measured judged(const Grid &g, const Values &f, const Values &truth,
                const std::vector<std::int64_t> &skip = {}) {
  const std::vector<SamplePoint> sample = chooseSample(g, {}, f, radius, skip, 1, 64);
  const std::vector<bool> judged = judgedOf(sample, sample.size());
  std::vector<ComparedValue> compared;
  for (std::size_t k = 0; k < sample.size(); ++k) {
    const auto at = static_cast<std::size_t>(sample[k].at);
    compared.push_back({g.at(sample[k].at), f[at], truth[at], 0, judged[k]});
  }
  return judge(compared, 1e-5, radius);
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

// F(0) is not summed, and not compared: an error there is relative to the largest that is.
TEST(Bands, AQOf0AmongComplexOnesLeavesTheOthersJudged) {
  for (const bool points : {false, true}) {
    Grid g = productGrid("0", "-1:1:41", "0:2:10");
    g.axes[2].im.assign(10, 1e-9);
    g.axes[2].im[0] = 0;
    const std::int64_t zero = 200;
    if (points)
      g = pointsOf(g);
    Values truth(410, 1.0);
    truth[zero] = 100;
    Values f = truth;
    for (std::size_t i = 0; i < f.size(); ++i)
      f[i] += i == zero ? 0 : 2e-5;
    const Measured m = judged(g, f, truth, {zero});
    EXPECT_GE(m.samples, 16);
    EXPECT_FALSE(m.met);
    EXPECT_NEAR(m.error, 2e-5, 1e-9);
  }
}

TEST(Bands, SixteenAreJudgedHoweverLittleTime) {
  for (const bool points : {false, true}) {
    const Grid g = damped(points);
    const auto sample = chooseSample(g, {}, reference(g), radius, {}, 3, 64);
    const std::size_t n = leastOf(sample);
    const auto judgedIn = [&](std::size_t some) {
      const std::vector<bool> judged = judgedOf(sample, some);
      return std::count(judged.begin(), judged.end(), true);
    };
    EXPECT_GE(judgedIn(n), 16);
    EXPECT_LT(judgedIn(n - 1), 16);
  }
  const Grid few = productGrid("0", "0", "0.1:1:9+0.5i"); // all there are
  const auto sample = chooseSample(few, {}, Values(9, 1.0), radius, {}, 1, 64);
  EXPECT_EQ(sample.size(), 9U);
  EXPECT_EQ(leastOf(sample), 9U);
}

TEST(Bands, EveryJudgedQHasTheLargestOfItsBandBeforeIt) {
  for (const bool points : {false, true}) {
    const Grid g = damped(points);
    const Values f = reference(g);
    const auto sample = chooseSample(g, {}, f, radius, {}, 3, 64);
    std::size_t judged = 0;
    for (std::size_t k = 0; k < sample.size(); ++k) {
      if (!judgedOf(sample, k + 1)[k])
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
  for (const SamplePoint &one : sample)
    im.push_back(g.at(one.at)[2].imag());
  EXPECT_EQ(*std::min_element(im.begin(), im.end()), 0);
  EXPECT_EQ(*std::max_element(im.begin(), im.end()), 1);
}

TEST(Bands, KnowTheLargestOfEachQuickly) {
  for (const bool points : {false, true}) {
    const Grid g = damped(points);
    const Values f = reference(g);
    const Bands bands(g, f, radius, {});
    for (std::int64_t i = 0; i < g.size(); ++i) {
      const double top = std::abs(f[static_cast<std::size_t>(bands.top(i))]);
      EXPECT_GT(bands.size(i), 0.4 * top)
          << i; // Im q.z within 3%: damping, and what is a band's at its edge
      EXPECT_LT(bands.size(i), 2.5 * top) << i;
    }
  }
}

TEST(Bands, WhatIsNoNumberMisses) {
  const Grid g = damped();
  const Values truth = reference(g);
  for (const double no : {std::nan(""), HUGE_VAL}) {
    EXPECT_FALSE(judged(g, Values(1600, no), truth).met);
    EXPECT_FALSE(judged(g, truth, Values(1600, no)).met);
    EXPECT_FALSE(judged(g, Values(1600, no), Values(1600, no)).met);
  }
}

TEST(Bands, DenormalValuesAreJudgedByTheirSize) {
  const Grid g = productGrid("0", "-1:1:40", "0.1:2:40");
  const Values truth(1600, 1e-309);
  Measured m = judged(g, truth, truth);
  EXPECT_TRUE(m.met);
  EXPECT_EQ(m.error, 0);
  EXPECT_EQ(m.rms, 0);
  m = judged(g, Values(1600, 1.1e-309), truth);
  EXPECT_FALSE(m.met);
  EXPECT_NEAR(m.error, 0.1, 1e-6);
  EXPECT_NEAR(m.rms, 0.1, 1e-6);
}

} // namespace
} // namespace facet::test
