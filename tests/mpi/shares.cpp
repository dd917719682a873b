// shares.cpp - every unit is one rank's, and no rank has much more than the others.
#include "runtime/engine/run/shares.h"
#include "runtime/engine/plan/tree.h"
#include "runtime/engine/run/mpi/blocks.h"
#include <algorithm>
#include <gtest/gtest.h>
#include <numeric>
#include <random>

using namespace facet::runtime;

namespace {

Cutter units(std::int64_t x, std::int64_t y, std::int64_t z) { return {{x, y, z}, {1, 1, 1}}; }

/// What each rank has to do.
std::vector<double> loads(const Shares &shares, const std::vector<double> &costs, int ranks) {
  std::vector<double> all;
  for (int r = 0; r < ranks; ++r) {
    all.push_back(0);
    for (const std::int64_t u : shares.of(r))
      all.back() += costs.at(static_cast<std::size_t>(u));
  }
  return all;
}

/// The load of the most loaded rank over the mean of all: 1 is balanced.
double imbalance(const std::vector<double> &loads) {
  const double all = std::accumulate(loads.begin(), loads.end(), 0.0);
  return *std::ranges::max_element(loads) * double(loads.size()) / all;
}

/// How often each unit is taken.
std::vector<int> taken(const Shares &shares, std::int64_t count, int ranks) {
  std::vector<int> times(static_cast<std::size_t>(count));
  for (int r = 0; r < ranks; ++r)
    for (const std::int64_t u : shares.of(r))
      ++times.at(static_cast<std::size_t>(u));
  return times;
}

} // namespace

TEST(Shares, GiveEveryUnitToOneRank) {
  const std::array<std::int64_t, 3> shapes[] = {{1, 1, 1},  {1, 8, 8},   {1, 1, 97}, {91, 1, 1},
                                                {91, 3, 5}, {1, 50, 50}, {7, 11, 2}, {4, 4, 4}};
  for (const auto &[x, y, z] : shapes)
    for (int p = 1; p <= 100; ++p) {
      const Shares shares(units(x, y, z), p);
      const auto times = taken(shares, x * y * z, p);
      ASSERT_EQ(std::count(times.begin(), times.end(), 1), x * y * z)
          << x << " " << y << " " << z << " on " << p << ", " << shares.text();
    }
}

TEST(Shares, AreAsEvenAsEqualUnitsCanBe) {
  for (const std::int64_t n : {1, 10, 97, 640})
    for (int p = 1; p <= 100; ++p) {
      const Shares shares(units(1, 1, n), p);
      const std::int64_t least = (n + p - 1) / p;
      const auto load = loads(shares, std::vector<double>(std::size_t(n), 1.0), p);
      EXPECT_NEAR(imbalance(load), double(least * p) / double(n), 1e-9) << n << " on " << p;
      if (n >= p) {
        EXPECT_EQ(std::ranges::count(load, 0.0), 0) << n << " on " << p;
      }
    }
}

TEST(Shares, TileTheGridAsPublishedWhereThatIsBalanced) {
  EXPECT_EQ(Shares(units(1, 8, 9), 6).text(), "2 x 3 over y and z");
  EXPECT_EQ(Shares(units(91, 100, 100), 100).text(), "10 x 10 over y and z");
  // 7 is floor(sqrt 7) x 3 and one left over; a long axis leaves nothing to the other.
  EXPECT_EQ(Shares(units(1, 8, 9), 7).text(), "runs of units");
  EXPECT_EQ(Shares(units(91, 1, 1), 6).text(), "runs of units");
}

TEST(Shares, TileRanksAreNeighbours) {
  const Shares shares(units(2, 4, 6), 6);
  EXPECT_EQ(shares.of(4), (std::vector<std::int64_t>{14, 15, 20, 21, 38, 39, 44, 45}));
}

TEST(Shares, OfUnequalUnitsAreWithinOneUnitOfTheMean) {
  std::mt19937 random(7);
  for (int p = 1; p <= 100; p += 3) {
    std::vector<double> costs(400);
    for (double &cost : costs)
      cost = random() % 10 == 0 ? 0 : double(1 + random() % 100);
    const Shares shares(units(1, 20, 20), p, costs);
    const auto times = taken(shares, 400, p);
    ASSERT_EQ(std::count(times.begin(), times.end(), 1), 400) << p;
    const double mean = std::accumulate(costs.begin(), costs.end(), 0.0) / p;
    const double largest = *std::max_element(costs.begin(), costs.end());
    EXPECT_LE(imbalance(loads(shares, costs, p)), (mean + largest) / mean * (1 + 1e-9)) << p;
  }
}

TEST(Shares, OfARunThatGoesOnBalanceWhatIsLeft) {
  std::vector<double> costs(64, 0.0);
  std::fill(costs.begin() + 48, costs.end(), 1.0); // the first three quarters are done
  const Shares shares(units(1, 8, 8), 4, costs);
  EXPECT_NEAR(imbalance(loads(shares, costs, 4)), 1, 1e-9);
  const std::vector<double> none(64, 0.0); // all is done
  EXPECT_EQ(taken(Shares(units(1, 8, 8), 4, none), 64, 4), std::vector<int>(64, 1));
}

TEST(Shares, RefuseCostsOfOtherUnits) {
  EXPECT_ANY_THROW(Shares(units(1, 2, 2), 2, {1, 2, 3}));
  EXPECT_ANY_THROW(Shares(units(1, 2, 2), 0));
}

TEST(SharedUnits, GiveEveryBlockOfEveryUnitToOneRank) {
  for (const int p : {1, 2, 5, 8, 30})
    for (const std::int64_t n : {1, 2, 5})
      for (const std::int64_t blocks : {1, 3, 16}) {
        std::vector<int> times(static_cast<std::size_t>(n * blocks));
        if (n > p)
          continue;
        for (int r = 0; r < p; ++r) {
          const SharedUnit mine = sharedUnit(n, blocks, r, p);
          EXPECT_LE(mine.first, r);
          EXPECT_EQ(r < mine.first + mine.ranks, mine.blocks.begin < mine.blocks.end);
          for (std::int64_t b = mine.blocks.begin; b < mine.blocks.end; ++b)
            ++times[static_cast<std::size_t>(mine.unit * blocks + b)];
        }
        EXPECT_EQ(std::count(times.begin(), times.end(), 1), n * blocks) << p << " " << n;
      }
}

namespace {

Partial partial(double value) {
  Partial p;
  p.sums = {{value, 1 / value}, {value * value}};
  p.totals = {Totals::of({value, 3, 5})};
  p.origin = {value, -value};
  return p;
}

} // namespace

TEST(SharedUnits, RunsOfBlocksHaveTheBitsOfOneTree) {
  for (const std::int64_t blocks : {1, 2, 7, 8, 13, 32})
    for (int ranks = 1; ranks <= blocks && ranks <= 6; ++ranks) {
      PartialTree one, all;
      for (std::int64_t b = 0; b < blocks; ++b)
        one.add(partial(1.1 + double(b)));
      for (int r = 0; r < ranks; ++r) {
        const auto run = sharedUnit(1, blocks, r, ranks).blocks;
        PartialTree part(run.begin);
        for (std::int64_t b = run.begin; b < run.end; ++b)
          part.add(partial(1.1 + double(b)));
        for (TreeNode &node : unpacked(packed(part.takeNodes())))
          all.add(std::move(node));
      }
      const Partial a = one.take(), b = all.take();
      EXPECT_EQ(a.sums, b.sums) << blocks << " on " << ranks;
      EXPECT_EQ(a.origin, b.origin);
      EXPECT_EQ(a.totals[0].numbers(), b.totals[0].numbers());
      EXPECT_EQ(a.totals[0].text(), b.totals[0].text());
    }
}

TEST(SharedUnits, SumsInAnotherOrderWouldHaveOtherBits) { // so that the test above can fail
  PartialTree tree;
  Partial straight = partial(1.1);
  tree.add(partial(1.1));
  for (int b = 1; b < 32; ++b) {
    tree.add(partial(1.1 + b));
    straight.join(partial(1.1 + b));
  }
  EXPECT_NE(tree.take().sums, straight.sums);
}
