// race.cpp - losers are dropped early, runs interleave, the smallest near the best is taken: by a
// clock and times made up here.
#include "runtime/tuning/search.h"
#include <gtest/gtest.h>

namespace facet::runtime {
namespace {

using schedules::Knobs;

/// Candidates with these seconds, run by a clock that moves with them.
struct Track {
  std::vector<double> seconds;
  double clock = 0;
  std::vector<std::size_t> order = {};
  std::vector<Raced> run(RaceRules rules = {}) {
    rules.clock = [this] { return clock; };
    return race(
        seconds.size(),
        [this](std::size_t k) {
          order.push_back(k);
          clock += seconds[k];
          return seconds[k];
        },
        rules);
  }
};

TEST(Race, LosersAreDroppedEarlyAndRunsInterleave) {
  Track track{{1.0, 1.01, 1.1, 2.0}};
  const auto raced = track.run();
  EXPECT_EQ(raced[0].runs, 6);
  EXPECT_EQ(raced[1].runs, 6);
  EXPECT_EQ(raced[2].runs, 3) << "10% behind is dropped where 8% are allowed";
  EXPECT_EQ(raced[3].runs, 1);
  EXPECT_EQ(std::vector(track.order.begin(), track.order.begin() + 7),
            (std::vector<std::size_t>{0, 1, 2, 3, 0, 1, 2}));
}

TEST(Race, TheLeastOfTheRunsCounts) {
  int calls = 0;
  const auto raced = race(1, [&](std::size_t) { return ++calls == 3 ? 1.0 : 2.0; });
  EXPECT_EQ(raced[0].seconds, 1);
  EXPECT_EQ(raced[0].runs, 6);
}

TEST(Race, WhoFailsIsOut) {
  Track track{{0.0, 1.0}};
  const auto raced = track.run();
  EXPECT_EQ(raced[0].seconds, 0);
  EXPECT_EQ(raced[0].runs, 1);
  EXPECT_EQ(raced[1].runs, 6);
}

TEST(Race, ARaceEndsWithTheRoundInWhichTimeRunsOut) {
  Track track{{5, 5}};
  RaceRules rules;
  rules.limit = 12;
  const auto raced = track.run(rules);
  EXPECT_EQ(raced[0].runs, 2);
  EXPECT_EQ(raced[1].runs, 2);
}

TEST(Pick, TheSmallestOfThoseNearTheBestIsTaken) {
  Knobs initial, large, small, slow;
  initial.tileY = 1, large.tileY = 8, small.tileY = 4, slow.tileY = 2;
  EXPECT_EQ(pick({initial, large, small, slow}, {80, 100, 98.6, 98.4}, 0), 2U);
  EXPECT_EQ(pick({initial, large, small, slow}, {80, 100, 98.4, 98.4}, 0), 1U);
  Knobs block = small;
  block.blockT = 64;
  EXPECT_EQ(pick({initial, small, block}, {80, 100, 99}, 0), 2U)
      << "of one tile, the smaller block";
}

TEST(Pick, TheDefaultStaysWhereNothingBeatsIt) {
  Knobs initial, other, smaller;
  initial.tileY = 4, other.tileY = 8, smaller.tileY = 1;
  EXPECT_EQ(pick({initial, other}, {100, 100.4}, 0), 0U);
  EXPECT_EQ(pick({initial, other}, {100, 102}, 0), 1U);
  initial.tileY = 16;
  EXPECT_EQ(pick({initial, other, smaller}, {100, 101, 99.9}, 0), 1U)
      << "smaller, near the best, but slower than the default";
  EXPECT_EQ(pick({initial, other}, {0, 50}, 0), 1U) << "a default that fails is not taken";
}

} // namespace
} // namespace facet::runtime
