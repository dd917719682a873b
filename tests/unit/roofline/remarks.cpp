// remarks.cpp - each remark where it holds, and its silence where it does not.
#include "runtime/tuning/roofline/remarks.h"
#include "made_up.h"
#include <gtest/gtest.h>

namespace facet::runtime {
namespace {

std::string said(const std::string &name, const Reading &reading,
                 const Ceilings &ceilings = madeUpMachine()) {
  for (const Remark &remark : remarks())
    if (remark.name == name)
      return remark.say(factsOf(reading, ceilings));
  throw std::runtime_error("no remark " + name);
}

/// With so many rows in a tile.
Reading rows(Reading r, int tileY) {
  r.problem.knobs.tileY = tileY;
  return r;
}

TEST(Bounded, NamesTheTightestBoundAndTheShareReached) {
  EXPECT_EQ(said("bounded", at(separableReading(), 0.87)),
            "bounded by multiply-adds: 87% of the 6 a TQP");
  EXPECT_EQ(said("bounded", at(directReading(), 0.84)),
            "bounded by arithmetic: 84% of the 19 instructions a TQP");
}

TEST(Bounded, ByALevelOfTheMemoryWhereThatTakesLonger) {
  Ceilings slow = madeUpMachine();
  slow.levels[1].speed = 10e9; // 2.67 bytes a TQP: 3.75e9 TQP/s, arithmetic allows 8.3e9
  EXPECT_EQ(said("bounded", at(separableReading(), 0.4, slow), slow),
            "bounded by L2: 89% of its 10 GB/s");
}

TEST(Bounded, ByNothingWhereEveryCeilingIsFar) {
  EXPECT_EQ(said("bounded", at(separableReading(), 0.3)).find("bounded by none of the ceilings"),
            0U);
}

TEST(Bounded, CountsTwoInstructionsAMultiplyAddWhereTheTargetHasNone) {
  Ceilings old = madeUpMachine();
  old.fused = false;
  // 19 + 10 instructions at twice the pace of pairs.
  EXPECT_EQ(said("bounded", at(directReading(), 19.0 / 29, old), old),
            "bounded by arithmetic: 100% of the 29 instructions a TQP");
}

TEST(SmallTile, AsksForMoreRowsWhereLoadsTakeAsLongAsArithmetic) {
  const Reading r = at(rows(separableReading(), 1), 0.6);
  // 4 / tile_z + 2 / tile_y loads and the sums' for 6 multiply-adds, of which each has a load free.
  EXPECT_EQ(said("small tile", r), "");
  Ceilings slow = madeUpMachine();
  slow.levels[0].speed = 100e9; // half a load: 2.4 = 0.8 x 3 are few enough, 4 / 3 + 2 / 2 + 0.04
  EXPECT_EQ(said("small tile", r, slow), "register tile too small: 0.7 loads an FMA, where 0.5 are "
                                         "free: tile_y 1 -> 2, tile_z 2 -> 3");
  EXPECT_EQ(said("small tile", at(separableReading(), 0.6)), "");
}

TEST(Bounded, CountsWhatTheRowsOfADirectTileShare) {
  Reading r = directReading();
  r.operations.columnInstructions = 20; // a quarter each of 4 rows
  EXPECT_EQ(said("bounded", at(r, 0.8)),
            "bounded by arithmetic: 101% of the 19 instructions a TQP and 5.0 that rows share");
}

TEST(SmallTile, SaysWhenRegistersHoldNoBetterOne) {
  Ceilings slow = madeUpMachine();
  slow.levels[0].speed = 40e9;
  Reading r = rows(separableReading(), 7);
  r.problem.registers = 16;
  EXPECT_NE(said("small tile", at(r, 0.5), slow).find("the registers hold no better one"),
            std::string::npos);
}

TEST(LargeTile, AsksForFewerRowsWhereSumsDoNotFit) {
  // 2 sums x 8 rows x 2 vectors, 2 x 2 of columns, 1: 37 for 32; 6 rows take 29.
  EXPECT_EQ(said("large tile", at(rows(separableReading(), 8), 0.5)),
            "register tile too large: 37 vectors for 32 registers: tile_y 8 -> 6");
  EXPECT_EQ(said("large tile", at(rows(separableReading(), 6), 0.5)), "");
  EXPECT_EQ(said("large tile", at(rows(separableReading(), 8), 0.85)), ""); // they did fit
}

TEST(Level, AsksForASmallerBlockWhereTablesLeaveACache) {
  Reading r = separableReading();
  r.problem.knobs.blockT = 1024; // 3.3 MB of column tables, 1.6 MB at half
  Ceilings c = madeUpMachine();
  c.levels[1].bytes = 2.5e6, c.levels[2].speed = 15e9;
  EXPECT_EQ(said("level", at(r, 0.8, c), c),
            "bandwidth of L3: 2 bytes a TQP, mostly column tables: halve block_t (1024)");
}

TEST(Level, AsksForMoreRowsWhereNoBlockHelps) {
  Ceilings c = madeUpMachine();
  c.levels[1].speed = 15e9;
  EXPECT_EQ(
      said("level", at(separableReading(), 0.8, c), c),
      "bandwidth of L2: 2.7 bytes a TQP, mostly column tables: a larger tile_y (4) reads them "
      "less often");
}

TEST(Level, AsksForLongerBlocksWhereSumsGoToAndFro) {
  Reading r = separableReading();
  r.problem.knobs.blockT = 8;
  Ceilings c = madeUpMachine();
  EXPECT_EQ(said("level", at(r, 0.5, c), c),
            "bandwidth of L3: 4 bytes a TQP, mostly sums: double block_t (8), or a smaller grid_y");
}

TEST(Level, AsksForLargerCallsWhereRecordsAreStreamedTooOften) {
  Reading r = directReading();
  r.problem.tile = {1, 2, 16};
  r.problem.records = 1e7;
  Ceilings c = madeUpMachine();
  c.levels[3].speed = 2e9;
  EXPECT_EQ(
      said("level", at(r, 0.8, c), c),
      "bandwidth of memory: 0.75 bytes a TQP, mostly records: a larger grid_y or grid_z streams "
      "them less often");
}

TEST(Level, IsSilentWhereArithmeticTakesLonger) {
  EXPECT_EQ(said("level", at(separableReading(), 0.8)), "");
}

TEST(Sincos, ComparesWithItsOwnCeilingAndNamesWhatNeedsFewer) {
  Reading r = at(directReading(), 0.54); // 1.42e9 of 2e9
  EXPECT_EQ(said("sincos", r), "sincos: 71% of its own ceiling; `addition` would need fewer");
  r.canSeparate = true;
  EXPECT_EQ(said("sincos", r),
            "sincos: 71% of its own ceiling; `addition` or separable would need fewer");
  r.problem.knobs.addition = 1;
  EXPECT_EQ(said("sincos", r), "sincos: 71% of its own ceiling; separable would need fewer");
  r.problem.knobs.addition = 0, r.operations.innerSincos = 5; // the pass is of one wave
  EXPECT_EQ(said("sincos", r).find("addition"), std::string::npos);
  r.operations.innerSincos = 1;
  r.problem.points = true, r.canSeparate = false;
  EXPECT_EQ(said("sincos", r), "sincos: 71% of its own ceiling; a product grid would need fewer");
  EXPECT_EQ(said("sincos", at(separableReading(), 0.5)), "");
}

TEST(Divisions, AreNamedWhereTheyMayExplainTheRest) {
  Reading r = at(directReading(), 0.7);
  EXPECT_EQ(said("divisions", r), "");
  r.operations.innerDivisions = 3;
  EXPECT_EQ(said("divisions", r).find("3 divisions a TQP"), 0U);
  EXPECT_EQ(said("tune", r), "");
  r.rate /= 0.7;
  EXPECT_EQ(said("divisions", r), "");
}

TEST(Tables, AreNamedWhereTheyAddATenth) {
  Reading r = separableReading();
  r.problem.tile = {1, 16, 64};
  EXPECT_EQ(
      said("tables", at(r, 0.8)),
      "tables add 15% to the FLOPs: larger tiles of the grid (grid_y, grid_z) would share them "
      "more");
  EXPECT_EQ(said("tables", at(separableReading(), 0.8)), "");
}

TEST(Padding, IsNamedFromATwentiethOn) {
  Reading r = at(separableReading(), 0.8);
  r.padded = 1.25;
  EXPECT_EQ(
      said("padding", r),
      "20% of the sums are padding: axes of whole vectors and rows, or --grid points, have less");
  r.padded = 1.04;
  EXPECT_EQ(said("padding", r), "");
}

TEST(Near, SaysThatNoScheduleCanGainMore) {
  EXPECT_NE(said("near", at(separableReading(), 0.92)), "");
  EXPECT_EQ(said("near", at(separableReading(), 0.88)), "");
}

TEST(Tune, IsProposedWhereTheModelHasNoRemedy) {
  EXPECT_NE(said("tune", at(separableReading(), 0.8)), "");
  EXPECT_EQ(said("tune", at(separableReading(), 0.95)), "");
  EXPECT_EQ(said("tune", at(rows(separableReading(), 8), 0.7)), ""); // too large a tile
}

TEST(Advice, BeginsWithTheBound) {
  const std::vector<std::string> lines = advice(at(directReading(), 0.8), madeUpMachine());
  ASSERT_GE(lines.size(), 2U);
  EXPECT_EQ(lines[0].find("bounded by"), 0U);
}

} // namespace
} // namespace facet::runtime
