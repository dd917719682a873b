// search.cpp - races drop losers early, interleave runs, and take the smallest near the best. The
// steps find what is near the best of made-up machines with few trials, and say why they left
// candidates out.
#include "runtime/engine/tune/search.h"
#include <algorithm>
#include <cmath>
#include <facet/runtime/error.h>
#include <functional>
#include <gtest/gtest.h>
#include <set>

namespace facet::runtime {
namespace {

using schedules::Knobs;
/// Candidates with these seconds, run by a clock that moves with them.
struct Track {
  std::vector<double> seconds;
  double clock = 0;
  std::vector<std::size_t> order = {};
  std::vector<RaceResult> run(RaceRules rules = {}) {
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

using Formula = std::function<double(const Knobs &)>;

/// A machine whose rates are a formula; two threads, or four streams, are all it can use.
class Made final : public Lab {
public:
  explicit Made(Formula rate) : rate(std::move(rate)) {}
  Formula rate;
  double clock = 0, seconds = 0; // now; of a candidate
  std::int64_t parts = 9;
  int raced = 0, cores = 1;

  std::vector<Rate> race(const std::vector<Knobs> &candidates, Mode how) override {
    std::vector<Rate> rates;
    for (const Knobs &knobs : candidates) {
      const double one = rate(knobs);
      const int threads = std::min(knobs.threads > 0 ? knobs.threads : cores, 2);
      rates.push_back({one * (how == Mode::OneThread ? 1 : threads * std::min(knobs.streams, 4)),
                       one > 0 ? "" : "refused"});
      ++raced;
      clock += seconds;
    }
    return rates;
  }
  std::int64_t tiles(const Knobs &) override { return parts; }
  double elapsed() const override { return clock; }
};

double tile(const Knobs &k) {
  const double spill = 2 * k.tileY * k.tileZ > 24 ? 1.3 : 1;
  return 1 / ((1 + 0.6 / k.tileY + 0.3 / k.tileZ) * spill);
}
/// 4 x 4 in blocks of 64 x 2, unrolled 8 times, is the best by far; polynomials lose.
double onDevice(const Knobs &k) {
  const auto far = [](int a, int b) { return std::abs(std::log2(double(a) / b)); };
  return 1e12 / (1 + 0.3 * far(k.tileY, 4) + 0.3 * far(k.tileZ, 4) + 0.2 * far(k.blockZ, 64) +
                 0.2 * far(k.blockY, 2) + 0.1 * far(k.unrollT, 8) + (k.hardware ? 0 : 0.5));
}

SpaceRequest direct() {
  SpaceRequest request{FACET_DIRECT, FACET_F32, FACET_PRODUCT, 64, 32, {}};
  request.initial.blockT = 128;
  return request;
}
SpaceRequest cuda() {
  SpaceRequest request = direct();
  request.device = {1024, 65536, 49152, 64};
  request.initial.tileY = 8, request.initial.tileZ = 2;
  request.initial.hardware = 1;
  return request;
}
/// Everything that may be tried.
std::vector<Knobs> every(const SpaceRequest &request) {
  std::vector<Knobs> list;
  for (const KnobGroup &group : joined(groupsOf(request), 1u << 30))
    for (const Knobs &knobs : group.all(request.initial))
      if (fitted(knobs, request) == knobs && leftOut(knobs, request).empty())
        list.push_back(knobs);
  return list;
}

TEST(Search, FewTrialsComeWithinThreePercentOfTheBest) {
  const std::vector<Formula> machines = {
      tile,
      [](const Knobs &k) {
        return tile(k) * (k.vectorBytes == 32 ? 0.6 : 1) * k.blockT / (k.blockT + 9.0);
      },
      // Addition wants small tiles, which are bad without it.
      [](const Knobs &k) { return k.addition ? 1.3 / (1 + 0.1 * k.tileY * k.tileZ) : tile(k); },
      // Blocks of one tile are not those of another.
      [](const Knobs &k) { return tile(k) * (k.tileY * k.blockT > 512 ? 0.8 : 1); },
      [](const Knobs &k) {
        return tile(k) * (k.gridY == 32 ? 1.1 : 1) * (k.blockT == 192 ? 0.8 : 1);
      }};
  for (std::size_t m = 0; m < machines.size(); ++m) {
    Made lab(machines[m]);
    const SpaceRequest request = direct();
    const TuneResult result = search(lab, request, {});
    const int raced = lab.raced;
    double best = 0;
    for (const Knobs &knobs : every(request))
      best = std::max(best, lab.rate(knobs));
    EXPECT_GE(lab.rate(result.tuned.knobs), 0.97 * best) << "machine " << m;
    EXPECT_LT(raced, 90) << "machine " << m << ", of " << every(request).size();
    EXPECT_EQ(result.path.front(), request.initial);
  }
}

TEST(Search, ADeviceIsSearchedAlike) {
  Made lab(onDevice);
  const TuneResult found = search(lab, cuda(), {});
  EXPECT_GE(onDevice(found.tuned.knobs), 0.99e12);
  EXPECT_EQ(found.tuned.knobs.streams, 4) << "the fewest that help";
  EXPECT_GT(found.tuned.throughput, found.tuned.before);
  EXPECT_LT(lab.raced, 150);
  for (const Trial &trial : found.trials)
    EXPECT_EQ(schedules::problem(trial.knobs), "");
}

TEST(Search, ExhaustiveTakesEveryCandidateOfItsGroups) {
  const SpaceRequest request = direct();
  Made lab(tile);
  SearchRules rules;
  rules.exhaustive = true;
  const TuneResult result = search(lab, request, rules);
  const KnobGroup first = joined(groupsOf(request), 400).front();
  EXPECT_GT(first.combinations(), 90U);
  for (const Knobs &knobs : first.all(request.initial))
    EXPECT_TRUE(std::any_of(result.trials.begin(), result.trials.end(), [&](const Trial &trial) {
      return trial.knobs == fitted(knobs, request);
    }));
}

TEST(Search, WhatIsNotMeasuredHasItsReason) {
  Made lab([](const Knobs &k) { return k.tileY == 5 ? 0 : tile(k); });
  const TuneResult result = search(lab, direct(), {});
  std::set<std::string> reasons;
  for (const Trial &trial : result.trials) {
    EXPECT_EQ(trial.throughput > 0, trial.skipped.empty());
    EXPECT_FALSE(trial.step.empty());
    reasons.insert(trial.skipped);
  }
  EXPECT_TRUE(reasons.contains("refused")) << "5 rows do not compile";
}

TEST(Search, TheNextValuesOfEachKnobAreTold) {
  SpaceRequest request = direct();
  Made lab([](const Knobs &k) { return tile(k) * (k.blockT == 128 ? 1 : 0.9); });
  const TuneResult found = search(lab, request, {});
  EXPECT_NE(found.tuned.neighbours.find("block_t=64 90.0%, block_t=192 90.0%"), std::string::npos)
      << found.tuned.neighbours;
  EXPECT_NE(found.tuned.neighbours.find("tile_y="), std::string::npos);
  EXPECT_EQ(found.tuned.neighbours.find("tile_y=1 "), std::string::npos) << "only the next ones";
}

TEST(Search, TheDefaultStaysWhereAllIsAlikeOrRefused) {
  Made alike([](const Knobs &) { return 1.0; });
  EXPECT_EQ(search(alike, direct(), {}).tuned.knobs, direct().initial);
  const Knobs initial = cuda().initial;
  Made refused([&](const Knobs &k) { return k == initial ? 1e12 : 0.0; });
  refused.parts = 1; // streams cannot be judged
  const TuneResult found = search(refused, cuda(), {});
  EXPECT_EQ(found.tuned.knobs, initial);
  EXPECT_EQ(found.tuned.throughput, found.tuned.before);
}

TEST(Search, FewerThreadsAreTakenWhereTheyAreAsFast) {
  Made lab(tile);
  SearchRules rules;
  rules.cores = lab.cores = 8; // of which the machine made above runs no more than 2
  EXPECT_EQ(search(lab, direct(), rules).tuned.knobs.threads, 2);
  rules.cores = lab.cores = 2;
  EXPECT_EQ(search(lab, direct(), rules).tuned.knobs.threads, 0);
}

TEST(Search, ASlowMachineStillGetsAnAnswer) {
  for (const SpaceRequest &request : {direct(), cuda()}) {
    Made lab(request.onDevice() ? Formula(onDevice) : tile);
    lab.seconds = 10;
    lab.parts = 1;
    SearchRules rules;
    rules.limit = 30;
    const TuneResult result = search(lab, request, rules);
    EXPECT_LT(lab.raced, 40);
    EXPECT_GE(lab.rate(result.tuned.knobs), lab.rate(request.initial));
    EXPECT_TRUE(std::any_of(result.trials.begin(), result.trials.end(), [](const Trial &trial) {
      return trial.skipped.starts_with("no time left");
    }));
    lab.clock = 100;
    EXPECT_EQ(search(lab, request, rules).tuned.knobs, request.initial)
        << "no time at all: the default";
  }
}

TEST(Search, ADefaultThatFailsIsAnError) {
  Made lab([](const Knobs &) { return 0.0; });
  EXPECT_THROW(search(lab, direct(), {}), Error);
}

} // namespace
} // namespace facet::runtime
