// reductions.cpp - quantiles by counting against sorted values, whatever fits; totals of a file.
#include "runtime/engine/store/reductions.h"
#include "runs.h"
#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <random>

namespace {

using Values = std::vector<double>;

/// In pieces of so many.
EachPiece inPieces(const Values &values, std::int64_t size) {
  return [&values, size](const auto &use) {
    for (std::int64_t at = 0; at < std::ssize(values); at += size)
      use(values.data() + at, std::min(size, std::ssize(values) - at));
  };
}

const Values probabilities{0, 1e-3, 0.01, 0.05, 1.0 / 3, 0.5, 0.75, 0.999, 1};

Values bySorting(Values values) {
  std::ranges::sort(values);
  Values found;
  for (const double p : probabilities) {
    const double place = p * static_cast<double>(values.size() - 1);
    const auto k = static_cast<std::size_t>(place);
    const double a = values[k], b = values[std::min(k + 1, values.size() - 1)],
                 t = place - std::floor(place);
    found.push_back(t < 0.5 ? a + (b - a) * t : b - (b - a) * (1 - t));
  }
  return found;
}

std::vector<Values> drawn() {
  std::mt19937_64 random(5);
  std::normal_distribution<double> normal(9e6, 1e5);
  std::uniform_int_distribution<int> power(-1070, 1020), few(-2, 2), small(0, 3);
  std::vector<Values> all{{3.5}, {2, 1}, Values(5000, -7.25), {}, {}, {}, {}};
  for (int k = 0; k < 20000; ++k) {
    all[3].push_back(normal(random));
    all[4].push_back(std::ldexp(k % 2 == 0 ? 1.25 : -1.5, power(random)));
    all[5].push_back(few(random));
    all[6].push_back(small(random) * std::numeric_limits<double>::denorm_min());
  }
  all[5].push_back(-0.0);
  all[6].push_back(-std::numeric_limits<double>::max() / 4);
  return all;
}

TEST(Quantiles, AreThoseOfTheSortedValues) {
  for (const Values &values : drawn()) {
    const Values wanted = bySorting(values);
    for (const std::int64_t held : {0, 3, 1000, 1 << 20})
      for (const std::int64_t piece : {1 << 20, 777})
        EXPECT_EQ(quantilesOf(inPieces(values, piece), std::ssize(values), probabilities, held),
                  wanted)
            << values.size() << " values like " << values[0] << ", " << held << " held";
  }
}

TEST(Quantiles, NeedFewPasses) {
  const Values values = drawn()[3];
  const EachPiece each = inPieces(values, 1000);
  int passes = 0;
  const EachPiece counted = [&](const auto &use) { ++passes, each(use); };
  quantilesOf(counted, std::ssize(values), probabilities, 1 << 20);
  EXPECT_EQ(passes, 1);
  passes = 0;
  quantilesOf(counted, std::ssize(values), probabilities, 500);
  EXPECT_LE(passes, 4);
}

// F of unit k is k + 1 + 0.1 j i at its 20 values j.
TEST_F(Tiled, ReducedAsItIsInTheFile) {
  TiledResult result = run.create();
  run.computeAll(result);
  const nexus::Reduction real = reduced(result, "amplitude", false, {{0, 0.5, 1}, true});
  EXPECT_EQ(real.quantiles, (Values{1, 6.5, 12}));
  EXPECT_EQ(real.total[0].real(), 20.0 * 78);
  EXPECT_EQ(real.unit, "nm^3");
  const nexus::Reduction complex = reduced(result, "amplitude", true, {{}, true});
  EXPECT_NEAR(std::abs(complex.total[0] - std::complex<double>(20 * 78, 12 * 19)), 0, 1e-11);
  EXPECT_TRUE(reduced(result, "amplitude", true, {{0.5}, false}).quantiles.empty());
  // Unit k is at x = k / 4 and two values of y.
  const nexus::Reduction byX = reduced(result, "amplitude", true, {{}, true, {0}});
  EXPECT_EQ(byX.totalShape, nexus::Shape{3});
  for (int x = 0; x < 3; ++x)
    EXPECT_NEAR(byX.total[static_cast<std::size_t>(x)].real(), 20 * (16 * x + 10), 1e-11);
  EXPECT_EQ(reduced(result, "amplitude", true, {{}, true, {0, 2}}).total.size(), 30U);
}

} // namespace
