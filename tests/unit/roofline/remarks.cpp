// remarks.cpp - each remark where it holds, and its silence where it does not.
#include "made_up.h"
#include "runtime/tuning/roofline/roofline.h"
#include <gtest/gtest.h>

namespace facet::runtime {
namespace {

/// The remark that begins so; "" where none does.
std::string said(const std::string &begin, const Reading &reading,
                 const Ceilings &ceilings = madeUpMachine()) {
  for (const std::string &line : advice(reading, ceilings))
    if (line.starts_with(begin))
      return line;
  return "";
}

TEST(Bounded, NamesTheTightestBoundAndTheShareReached) {
  EXPECT_EQ(advice(at(separableReading(), 0.87), madeUpMachine()).front(),
            "bounded by multiply-adds: 87% of the 6 a TQP");
  EXPECT_EQ(advice(at(directReading(), 0.84), madeUpMachine()).front(),
            "bounded by arithmetic: 84% of the 19 instructions a TQP");
}

TEST(Bounded, ByALevelOfTheMemoryWhereThatTakesLonger) {
  Ceilings slow = madeUpMachine();
  slow.levels[1].speed = 10e9; // 2.67 bytes a TQP: 3.75e9 TQP/s, arithmetic allows 8.3e9
  EXPECT_EQ(said("bounded", at(separableReading(), 0.4, slow), slow),
            "bounded by L2: 89% of its 10 GB/s");
}

TEST(Bounded, ByNothingWhereEveryCeilingIsFar) {
  EXPECT_NE(said("bounded by none of the ceilings", at(separableReading(), 0.3)), "");
}

TEST(Bounded, CountsTwoInstructionsAMultiplyAddWhereTheTargetHasNone) {
  Ceilings old = madeUpMachine();
  old.fused = false;
  // 19 + 10 instructions at twice the pace of pairs.
  EXPECT_EQ(said("bounded", at(directReading(), 19.0 / 29, old), old),
            "bounded by arithmetic: 100% of the 29 instructions a TQP");
}

TEST(Bounded, CountsWhatTheRowsOfADirectTileShare) {
  Reading r = directReading();
  r.operations.columnInstructions = 20; // a quarter each of 4 rows
  EXPECT_EQ(said("bounded", at(r, 0.8)),
            "bounded by arithmetic: 101% of the 19 instructions a TQP and 5.0 that rows share");
}

TEST(Sincos, ComparesWithItsOwnCeilingAndNamesWhatNeedsFewer) {
  Reading r = at(directReading(), 0.54); // 1.42e9 of 2e9
  EXPECT_EQ(said("sincos", r), "sincos: 71% of its own ceiling");
  r.canSeparate = true;
  EXPECT_EQ(said("sincos", r), "sincos: 71% of its own ceiling; separable would need fewer");
  r.problem.points = true, r.canSeparate = false;
  EXPECT_EQ(said("sincos", r), "sincos: 71% of its own ceiling; a product grid would need fewer");
  EXPECT_EQ(said("sincos", at(separableReading(), 0.5)), "");
}

TEST(Divisions, AreNamedWhereTheyMayExplainTheRest) {
  Reading r = at(directReading(), 0.7);
  EXPECT_EQ(said("3 divisions", r), "");
  r.operations.innerDivisions = 3;
  EXPECT_NE(said("3 divisions a TQP", r), "");
  r.rate /= 0.7;
  EXPECT_EQ(said("3 divisions", r), "");
}

TEST(Padding, IsNamedFromATwentiethOn) {
  Reading r = at(separableReading(), 0.8);
  r.padded = 1.25;
  EXPECT_EQ(
      said("20%", r),
      "20% of the sums are padding: axes of whole vectors and rows, or --grid points, have less");
  r.padded = 1.04;
  EXPECT_EQ(said("4%", r), "");
}

TEST(Near, SaysThatNoScheduleCanGainMore) {
  EXPECT_NE(said("no schedule can gain more", at(separableReading(), 0.92)), "");
  EXPECT_EQ(said("no schedule can gain more", at(separableReading(), 0.88)), "");
}

TEST(Knobs, AreSpokenOfByWhatTheTunerHasMeasured) {
  Reading r = at(separableReading(), 0.8);
  r.schedule = "defaults";
  EXPECT_EQ(said("knobs", r), "knobs: defaults; `facet tune` tries others");
  EXPECT_EQ(said("knobs", at(separableReading(), 0.95)), "") << "nothing is left to gain";
  r.schedule = "tuned on 2026-11-21";
  r.neighbours = "tile_y=3 97.0%, tile_y=5 99.1%";
  EXPECT_EQ(said("tuned", r), "tuned on 2026-11-21; the next values of each knob reached tile_y=3 "
                              "97.0%, tile_y=5 99.1%");
}

} // namespace
} // namespace facet::runtime
