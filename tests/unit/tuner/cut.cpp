// cut.cpp - the cut of a grid by the rules, and as requested.
#include "runtime/engine/sum/cut.h"
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

Cut cutOf(const Grid &grid, std::int64_t records, facet_algorithm algorithm = FACET_SEPARABLE) {
  facet_variant variant{};
  variant.grid = grid.kind == Grid::Kind::Product ? FACET_PRODUCT : FACET_POINTS;
  variant.interface_ = FACET_CPU;
  variant.t_block = 128;
  variant.pad[0] = variant.pad[2] = 16;
  variant.pad[1] = 4;
  const std::int64_t fixed[3]{};
  return defaultCut(grid, records, cutRules(algorithm, &variant, grid, fixed, records));
}
std::int64_t q(const Cut &cut) { return cut.tile[0] * cut.tile[1] * cut.tile[2]; }

TEST(Cut, UnitsHaveWorkEnoughAndWholeRegisterTiles) {
  const Cut cut = cutOf(product(2000, 2100), 60000);
  EXPECT_LE(q(cut), 384 * 256);
  EXPECT_GE(q(cut), 384 * 256 / 4);
  EXPECT_EQ(cut.tile[1] % 48, 0) << "every q keeps its place of a register tile";
  EXPECT_EQ(cut.tile[2] % 64, 0);
  EXPECT_GE(q(cutOf(product(2000, 2000), 3'600'000)), 1 << 13) << "tables of small units cost more";
}

TEST(Cut, UnitsAreLargeWhereTheGridHasManyAndRecordsAreNotTooMany) {
  EXPECT_GT(q(cutOf(product(1000, 1000), 90000)), 3e9 / 90000) << "tables of small units cost more";
  EXPECT_LE(q(cutOf(product(1000, 1000), 90000)), 384 * 256);
  EXPECT_LE(q(cutOf(product(500, 500), 90000)), 3e9 / 90000) << "eight at least";
  EXPECT_LE(q(cutOf(product(1000, 1000), 800'000)), 2e10 / 800'000);
  EXPECT_LE(q(cutOf(product(1000, 1000), 90000, FACET_DIRECT)), 3e9 / 90000);
}

TEST(Cut, BlocksOfRecordsAreCutWhereTheyAreMany) {
  EXPECT_EQ(cutOf(product(500, 500), 91200).records, 91200);
  EXPECT_EQ(cutOf(product(500, 500), 700'000).records, 1 << 18);
}

TEST(Cut, OfPointsTheLength) {
  const Cut cut = cutOf(points(3'000'000), 6000, FACET_DIRECT);
  EXPECT_LT(cut.tile[0], 70'000);
  EXPECT_GT(cut.tile[0], 30'000);
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
