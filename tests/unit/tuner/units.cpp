// units.cpp - which units a tuning tries, and which it takes by their rates.
#include "runtime/tuning/units/units.h"
#include "runtime/tuning/search/steps.h"
#include <cmath>
#include <functional>
#include <gtest/gtest.h>

namespace facet::runtime {
namespace {

using schedules::Knobs;

Knobs with(int y, int z, int t = 0) {
  Knobs knobs;
  knobs.unitY = y, knobs.unitZ = z, knobs.unitT = t;
  return knobs;
}

TEST(Units, CandidatesAreLegalAndBeginWithWhatThereIs) {
  for (const facet_grid_kind grid : {FACET_PRODUCT, FACET_POINTS})
    for (const auto list : {unitSizes, unitShapes, unitBlocks})
      for (const Knobs &of : {Knobs(), with(96, 128), with(480, 512, 2048)}) {
        const std::vector<Knobs> some = list(of, grid);
        EXPECT_EQ(some.front(), of);
        for (const Knobs &knobs : some)
          EXPECT_EQ(schedules::problem(knobs), "");
      }
}

TEST(Units, ShapesHaveTheSameSizeAndTheRulesHaveNone) {
  EXPECT_EQ(unitShapes(with(192, 256), FACET_PRODUCT),
            (std::vector<Knobs>{with(192, 256), with(384, 128), with(96, 512)}));
  EXPECT_EQ(unitShapes(Knobs(), FACET_PRODUCT).size(), 1U);
  EXPECT_EQ(unitShapes(with(0, 4096), FACET_POINTS).size(), 1U);
}

TEST(Units, TheRulesStayWhereOthersAreHardlyFaster) {
  EXPECT_EQ(pickUnits({100, 101, 90, 102}), 0U);
  EXPECT_EQ(pickUnits({100, 101, 90, 103}), 3U);
  EXPECT_EQ(pickUnits({100, 0, 0}), 0U) << "not measured";
  EXPECT_EQ(pickUnits({0, 100, 100}), 0U) << "nothing to compare with";
}

TEST(Units, OfThoseNearTheBestTheFirstIsTaken) {
  EXPECT_EQ(pickUnits({100, 118.5, 119, 120}), 1U) << "118.5 is within 98.5% of 120";
  EXPECT_EQ(pickUnits({100, 117, 119, 120}), 2U);
}

/// A machine whose units have rates by a formula, its candidates all alike.
class Made final : public Lab {
public:
  std::function<double(const Knobs &)> unit;
  int races = 0;
  std::vector<Rate> race(const std::vector<Knobs> &candidates, int) override {
    return std::vector<Rate>(candidates.size(), {1, true, ""});
  }
  std::vector<Rate> raceUnits(const std::vector<Knobs> &candidates) override {
    std::vector<Rate> rates;
    ++races;
    for (const Knobs &knobs : candidates)
      rates.push_back({unit(knobs), true, ""});
    return rates;
  }
  std::vector<std::pair<double, double>> calls(const Knobs &) override { return {}; }
  double candidateSeconds() const override { return 0; }
  double elapsed() const override { return 0; }
};
SearchResult searched(Made &lab, facet_grid_kind grid = FACET_PRODUCT) {
  const SpaceRequest request{FACET_SEPARABLE, FACET_F32, grid, 64, 32, {}};
  return search(lab, spaceOf(request), request, {});
}

TEST(Units, SizeShapeAndBlocksAreFoundOneAfterTheOther) {
  Made lab;
  lab.unit =
      [](const Knobs &k) { // tables of rows and columns; long z; t blocks that stay in a cache
        const double y = k.unitZ > 0 ? k.unitY : 96, z = k.unitZ > 0 ? k.unitZ : 64;
        return 1 / (1 + 30 / y + 180 / z) * (k.unitT == 8192 ? 1.1 : 1);
      };
  const SearchResult found = searched(lab);
  EXPECT_EQ(found.knobs, with(192, 1024, 8192));
  EXPECT_NEAR(found.unitGain, lab.unit(found.knobs) / lab.unit(Knobs()), 1e-12);
  EXPECT_EQ(found.units.front().knobs, Knobs());
  EXPECT_EQ(found.units.back().knobs, found.knobs) << "once more against the rules'";
}

TEST(Units, OfPointsTheLength) {
  Made lab;
  lab.unit = [](const Knobs &k) { return 1 - 1e4 / (k.unitZ > 0 ? k.unitZ : 15e3); };
  EXPECT_EQ(searched(lab, FACET_POINTS).knobs, with(0, 1 << 18));
}

TEST(Units, WhatDoesNotWinASecondTimeIsNotTaken) {
  Made lab;
  lab.unit = [&](const Knobs &k) { return k.unitZ == 256 && lab.races < 4 ? 1.2 : 1.0; };
  const SearchResult found = searched(lab);
  EXPECT_EQ(found.knobs, Knobs());
  EXPECT_EQ(found.unitGain, 1);
}

TEST(Units, WhereUnitsAreNotTunedTheRulesStay) {
  Made lab;
  lab.unit = [](const Knobs &) { return 0.0; };
  EXPECT_EQ(searched(lab).knobs, Knobs());
}

} // namespace
} // namespace facet::runtime
