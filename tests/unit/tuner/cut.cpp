// cut.cpp - the cut of a grid by the rules, and by what facet tune has found.
#include "runtime/plan/blocks/cut.h"
#include <facet/runtime/error.h>
#include <gtest/gtest.h>

namespace facet::runtime {
namespace {

Grid product(std::int64_t y, std::int64_t z) {
  Grid grid;
  grid.axes = {linspace(0.1, 0.1, 1), linspace(-2, 2, y), linspace(0.1, 2, z)};
  return grid;
}
Grid points(std::int64_t n) {
  Grid grid;
  grid.kind = Grid::Kind::Points;
  for (Axis &axis : grid.axes)
    axis = linspace(0.1, 2, n);
  return grid;
}

Cut cutOf(const Grid &grid, const char *knobs, std::int64_t records,
          facet_algorithm algorithm = FACET_SEPARABLE) {
  facet_variant variant{};
  variant.grid = grid.kind == Grid::Kind::Product ? FACET_PRODUCT : FACET_POINTS;
  variant.interface_ = FACET_CPU;
  variant.knobs = knobs;
  variant.t_block = 128;
  variant.pad[0] = variant.pad[2] = 16;
  variant.pad[1] = 4;
  const std::int64_t fixed[3]{};
  return defaultCut(grid, records, cutRules(algorithm, &variant, grid, fixed, records));
}
std::int64_t q(const Cut &cut) { return cut.tile[0] * cut.tile[1] * cut.tile[2]; }

TEST(Cut, TunedUnitsHaveAboutTheSizeAndShapeAskedFor) {
  const Grid grid = product(2000, 2100);
  const Cut rules = cutOf(grid, "tile_y=4", 60000);
  const Cut large = cutOf(grid, "tile_y=4,unit_y=384,unit_z=256", 60000);
  EXPECT_LE(q(rules), 3e9 / 60000);
  EXPECT_GE(q(large), 384 * 256 * 3 / 4);
  EXPECT_LE(q(large), 384 * 256 * 3 / 2);
  const Cut tall = cutOf(grid, "unit_y=768,unit_z=128", 60000);
  const Cut wide = cutOf(grid, "unit_y=96,unit_z=1024", 60000);
  EXPECT_GT(tall.tile[1], 3 * tall.tile[2]);
  EXPECT_GT(wide.tile[2], 5 * wide.tile[1]);
  for (const Cut &cut : {large, tall, wide}) {
    EXPECT_EQ(cut.tile[1] % 48, 0) << "every q keeps its place of a register tile";
    EXPECT_EQ(cut.tile[2] % 64, 0);
  }
}

TEST(Cut, TunedUnitsMayBeSmallerThanTheRulesHaveThem) {
  const Grid grid = product(1000, 1000);
  EXPECT_LT(q(cutOf(grid, "unit_y=48,unit_z=64", 1 << 18)), q(cutOf(grid, "", 1 << 18)));
}

TEST(Cut, UnitsStayLightEnoughToStopAndManyEnoughToShare) {
  const char *const large = "unit_y=480,unit_z=512";
  EXPECT_EQ(cutOf(product(2000, 2000), large, 3'600'000), cutOf(product(2000, 2000), "", 3'600'000))
      << "a unit of the rules takes long as it is";
  EXPECT_GE(Units({1, 500, 500}, cutOf(product(500, 500), large, 200'000)).count(), 5);
}

TEST(Cut, TunedBlocksOfRecords) {
  EXPECT_EQ(cutOf(product(500, 500), "unit_t=8192", 91200).records, 8192);
  EXPECT_EQ(cutOf(product(500, 500), "", 91200).records, 91200);
  EXPECT_EQ(cutOf(product(500, 500), "unit_t=1048576", 700'000).records, 700'000);
}

TEST(Cut, OfPointsTheLength) {
  const Grid grid = points(3'000'000);
  const Cut cut = cutOf(grid, "unit_z=262144", 6000, FACET_DIRECT);
  EXPECT_GT(cut.tile[0], 262144 * 3 / 4);
  EXPECT_LT(cutOf(grid, "", 6000, FACET_DIRECT).tile[0], 70'000);
}

TEST(Cut, WhatIsAskedForIsRoundedUpAndNonsenseRefused) {
  const Grid grid = product(500, 500);
  CutRules rules;
  rules.unit = {1, 48, 64};
  rules.block = 128;
  EXPECT_EQ(show(cutFrom("0,100,100,1000", grid, 91200, rules)), "1 x 144 x 128 q, 1024 records");
  for (const char *wrong : {"1,2,3,4,5", "a", "1,-2", "1;2"})
    EXPECT_THROW(cutFrom(wrong, grid, 91200, rules), Error) << wrong;
}

} // namespace
} // namespace facet::runtime
