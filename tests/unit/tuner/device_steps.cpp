// device_steps.cpp - the search on a made-up device comes near its best, and leaves to streams what
// is theirs.
#include "runtime/tuning/search/device_steps.h"
#include "runtime/tuning/search/device_space.h"
#include <algorithm>
#include <cmath>
#include <functional>
#include <gtest/gtest.h>

namespace facet::runtime {
namespace {

using schedules::Knobs;

class Made final : public Lab {
public:
  std::function<double(const Knobs &)> kernel; // rate on one queue
  std::int64_t parts = 9;
  double clock = 0, seconds = 0;
  int raced = 0;

  std::vector<Rate> race(const std::vector<Knobs> &candidates, int threads) override {
    std::vector<Rate> rates;
    for (const Knobs &knobs : candidates) {
      const double own = kernel(knobs);
      rates.push_back({threads == asARun ? own * std::min(knobs.streams, 4) : own, true,
                       own > 0 ? "" : "refused"});
      ++raced;
      clock += seconds;
    }
    return rates;
  }
  std::int64_t tiles(const Knobs &) override { return parts; }
  std::vector<std::pair<double, double>> calls(const Knobs &) override { return {}; }
  double candidateSeconds() const override { return seconds; }
  double elapsed() const override { return clock; }
};

SpaceRequest cuda() {
  SpaceRequest request{FACET_DIRECT, FACET_F32, FACET_PRODUCT,           64,
                       32,           {},        {1024, 65536, 49152, 64}};
  request.initial.blockT = 128;
  request.initial.tileY = 8, request.initial.tileZ = 2;
  request.initial.hardware = 1;
  return request;
}
/// 4 x 4 in blocks of 64 x 2, unrolled 8 times, is the best by far; polynomials lose.
double peaked(const Knobs &k) {
  const auto far = [](int a, int b) { return std::abs(std::log2(double(a) / b)); };
  return 1e12 / (1 + 0.3 * far(k.tileY, 4) + 0.3 * far(k.tileZ, 4) + 0.2 * far(k.blockZ, 64) +
                 0.2 * far(k.blockY, 2) + 0.1 * far(k.unrollT, 8) + (k.hardware ? 0 : 0.5));
}

TEST(DeviceSteps, ClimbToTheBestKernelAndTakeTheFewestStreamsThatHelp) {
  Made lab;
  lab.kernel = peaked;
  const SearchResult found = searchDevice(lab, cuda(), {});
  EXPECT_GE(peaked(found.knobs), 0.99e12);
  EXPECT_EQ(found.knobs.streams, 4);
  EXPECT_GT(found.rate, found.before);
  EXPECT_LT(lab.raced, 150);
  for (const Trial &trial : found.trials)
    EXPECT_EQ(schedules::problem(trial.knobs), "");
}

TEST(DeviceSteps, KeepTheDefaultStreamsWhereTheGridIsOneTile) {
  Made lab;
  lab.kernel = peaked;
  lab.parts = 1;
  EXPECT_EQ(searchDevice(lab, cuda(), {}).knobs.streams, cuda().initial.streams);
}

TEST(DeviceSteps, KeepTheDefaultWhereNothingIsFasterOrEverythingIsRefused) {
  Made lab;
  const Knobs initial = cuda().initial;
  lab.parts = 1;
  lab.kernel = [&](const Knobs &k) { return k == initial ? 1e12 : 0.0; };
  const SearchResult found = searchDevice(lab, cuda(), {});
  EXPECT_EQ(found.knobs, initial);
  EXPECT_EQ(found.rate, found.before);
  EXPECT_TRUE(std::any_of(found.trials.begin(), found.trials.end(),
                          [](const Trial &trial) { return trial.skipped == "refused"; }));
}

TEST(DeviceSteps, StopWhenTheTimeIsOver) {
  Made lab;
  lab.kernel = peaked;
  lab.seconds = 1;
  SearchRules rules;
  rules.limit = 3;
  searchDevice(lab, cuda(), rules);
  EXPECT_LT(lab.raced, 30);
}

} // namespace
} // namespace facet::runtime
