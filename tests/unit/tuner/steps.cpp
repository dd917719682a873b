// steps.cpp - the four steps find what is near the best of made-up machines with few trials, and
// say why they left candidates out.
#include "runtime/tuning/search/steps.h"
#include <algorithm>
#include <facet/runtime/error.h>
#include <functional>
#include <gtest/gtest.h>
#include <set>

namespace facet::runtime {
namespace {

using schedules::Knobs;

/// A machine whose rates are a formula.
class Made final : public Lab {
public:
  explicit Made(std::function<double(const Knobs &)> rate) : rate(std::move(rate)) {}
  std::function<double(const Knobs &)> rate;
  double clock = 0, seconds = 0; // now; of a candidate
  int raced = 0;

  std::vector<Rate> race(const std::vector<Knobs> &candidates, int threads) override {
    std::vector<Rate> rates;
    for (const Knobs &knobs : candidates) {
      const double one = rate(knobs);
      rates.push_back({one * std::min(threads, 2), true, one > 0 ? "" : "refused"});
      ++raced;
      clock += seconds;
    }
    return rates;
  }
  std::vector<std::pair<double, double>> calls(const Knobs &) override {
    return {{128, 10 + 128}, {64, 10 + 64}, {32, 10 + 32}};
  }
  double candidateSeconds() const override { return seconds; }
  double elapsed() const override { return clock; }
};

double tile(const Knobs &k) {
  const double spill = 2 * k.tileY * k.tileZ > 24 ? 1.3 : 1;
  return 1 / ((1 + 0.6 / k.tileY + 0.3 / k.tileZ) * spill);
}

SpaceRequest direct() {
  SpaceRequest request{FACET_DIRECT, FACET_F32, FACET_PRODUCT, 64, 32, {}};
  request.initial.blockT = 128;
  return request;
}
/// Best rate of all combinations and cuts.
double bestOf(const Space &space, const SpaceRequest &request, const Made &lab) {
  double best = 0;
  for (const Knobs &knobs : combinations(space, request))
    for (const Knobs &cut : cuts(knobs, space, request))
      best = std::max(best, lab.rate(cut));
  return best;
}

TEST(Steps, FewTrialsComeWithinThreePercentOfTheBest) {
  const SpaceRequest request = direct();
  Space space = spaceOf(request);
  space.rowTables = {0, 1};
  space.addition = {0, 1};
  const std::vector<std::function<double(const Knobs &)>> machines = {
      tile,
      [](const Knobs &k) {
        return tile(k) * (k.vectorBytes == 32 ? 0.6 : 1) * k.blockT / (k.blockT + 9.0);
      },
      // Addition wants small tiles, which are bad without it.
      [](const Knobs &k) { return k.addition ? 1.3 / (1 + 0.1 * k.tileY * k.tileZ) : tile(k); },
      [](const Knobs &k) { return tile(k) * (k.rowTables == 0 && k.tileZ == 1 ? 1.2 : 1); },
      [](const Knobs &k) {
        return tile(k) * (k.gridY == 32 ? 1.1 : 1) * (k.blockT == 192 ? 0.8 : 1);
      }};
  for (std::size_t m = 0; m < machines.size(); ++m) {
    Made lab(machines[m]);
    const SearchResult result = search(lab, space, request, {});
    EXPECT_GE(lab.rate(result.knobs), 0.97 * bestOf(space, request, lab)) << "machine " << m;
    EXPECT_LT(lab.raced, static_cast<int>(combinations(space, request).size()) / 2);
    EXPECT_EQ(result.path.front(), request.initial);
  }
}

TEST(Steps, ExhaustiveTakesEveryCandidate) {
  const SpaceRequest request = direct();
  const Space space = spaceOf(request);
  Made lab(tile);
  SearchRules rules;
  rules.exhaustive = true;
  const SearchResult result = search(lab, space, request, rules);
  for (const Knobs &knobs : combinations(space, request))
    EXPECT_TRUE(std::any_of(result.trials.begin(), result.trials.end(), [&](const Trial &trial) {
      return trial.knobs == knobs && trial.throughput > 0;
    }));
}

TEST(Steps, WhatIsNotMeasuredHasItsReason) {
  const SpaceRequest request = direct();
  Made lab([](const Knobs &k) {
    return k.tileY == 3 ? 0 : tile(k) * (k.vectorBytes == 32 ? 0.5 : 1) * (k.tileY == 1 ? 0.3 : 1);
  });
  const SearchResult result = search(lab, spaceOf(request), request, {});
  std::set<std::string> reasons;
  for (const Trial &trial : result.trials) {
    EXPECT_EQ(trial.throughput > 0, trial.skipped.empty());
    EXPECT_FALSE(trial.step.empty());
    reasons.insert(trial.skipped.substr(0, trial.skipped.find(':')));
  }
  EXPECT_TRUE(reasons.contains("tile model")) << "1 row is hopeless";
  EXPECT_TRUE(reasons.contains("refused")) << "3 rows do not compile";
  EXPECT_TRUE(reasons.contains("vector model")) << "half vectors are half as fast";
}

TEST(Steps, TheDefaultStaysWhereAllIsAlike) {
  const SpaceRequest request = direct();
  Made lab([](const Knobs &) { return 1.0; });
  EXPECT_EQ(search(lab, spaceOf(request), request, {}).knobs, request.initial);
}

TEST(Steps, FewerThreadsAreTakenWhereTheyAreAsFast) {
  const SpaceRequest request = direct();
  Made lab(tile);
  SearchRules rules;
  rules.cores = 8; // of which the machine made above runs no more than 2
  EXPECT_EQ(search(lab, spaceOf(request), request, rules).knobs.threads, 2);
  rules.cores = 2;
  EXPECT_EQ(search(lab, spaceOf(request), request, rules).knobs.threads, 0);
}

TEST(Steps, ASlowMachineStillGetsAnAnswer) {
  const SpaceRequest request = direct();
  Made lab(tile);
  lab.seconds = 10;
  SearchRules rules;
  rules.limit = 30;
  const SearchResult result = search(lab, spaceOf(request), request, rules);
  EXPECT_LT(lab.raced, 40);
  EXPECT_GE(lab.rate(result.knobs), lab.rate(request.initial));
  EXPECT_TRUE(std::any_of(result.trials.begin(), result.trials.end(), [](const Trial &trial) {
    return trial.skipped.starts_with("no time left");
  }));
  lab.clock = 100;
  EXPECT_EQ(search(lab, spaceOf(request), request, rules).knobs, request.initial)
      << "no time at all: the default";
}

TEST(Steps, ADefaultThatFailsIsAnError) {
  const SpaceRequest request = direct();
  Made lab([](const Knobs &) { return 0.0; });
  EXPECT_THROW(search(lab, spaceOf(request), request, {}), Error);
}

} // namespace
} // namespace facet::runtime
