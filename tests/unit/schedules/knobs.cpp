// knobs.cpp - legal values of knobs, and knobs as text.
#include "schedules/knobs.h"
#include <algorithm>
#include <gtest/gtest.h>
#include <set>

namespace facet::schedules {
namespace {

const KnobInfo &knob(std::string_view name) { return *findKnob(name); }

TEST(Knobs, HaveLegalDefaultsAndNamesOfTheirOwn) {
  std::set<std::string_view> names;
  for (const KnobInfo &info : knobTable()) {
    EXPECT_TRUE(isLegal(info, info.fallback)) << info.name;
    EXPECT_EQ(Knobs{}.*info.member, info.fallback) << info.name;
    EXPECT_TRUE(names.insert(info.name).second) << info.name;
    EXPECT_FALSE(info.doc.empty()) << info.name;
  }
  EXPECT_EQ(problem(Knobs{}), "");
}

TEST(Knobs, AreLegalExactlyWhereTheyAreListed) {
  for (const KnobInfo &info : knobTable()) {
    const std::vector<int> values = valuesOf(info);
    EXPECT_GE(values.size(), 2U) << info.name << " leaves no choice";
    EXPECT_TRUE(std::is_sorted(values.begin(), values.end())) << info.name;
    for (int value = -2; value <= 2 * info.most; ++value)
      EXPECT_EQ(isLegal(info, value), std::binary_search(values.begin(), values.end(), value))
          << info.name << '=' << value;
  }
}

TEST(Knobs, SayWhatIsLegal) {
  EXPECT_EQ(valuesOf(knob("vector_bytes")), (std::vector{0, 16, 32, 64, 128, 256}));
  EXPECT_EQ(legalValues(knob("vector_bytes")), "0 or 16 to 256, powers of two");
  EXPECT_EQ(legalValues(knob("tile_y")), "1 to 16");
  EXPECT_EQ(legalValues(knob("grid_y")), "0 or 8 to 1024 in steps of 8");
}

TEST(Knobs, AreReadAsTheyArePrinted) {
  Knobs knobs;
  for (const KnobInfo &info : knobTable())
    knobs.*info.member = valuesOf(info).back();
  for (const bool separable : {false, true}) {
    Knobs again;
    EXPECT_EQ(parse(print(knobs, separable), again), "");
    for (const KnobInfo &info : knobTable())
      EXPECT_EQ(again.*info.member, isUsed(info, separable) ? knobs.*info.member : info.fallback)
          << info.name;
  }
  EXPECT_EQ(print({}, true).find("addition"), std::string::npos);
}

TEST(Knobs, KeepWhatIsNotGiven) {
  Knobs knobs;
  knobs.blockT = 64;
  EXPECT_EQ(parse("tile_y=2,tile_z=3", knobs), "");
  EXPECT_EQ(knobs, (Knobs{2, 3, 64}));
  EXPECT_EQ(parse("", knobs), "");
  EXPECT_EQ(knobs, (Knobs{2, 3, 64}));
}

TEST(Knobs, OfEarlierVersionsAreKnownByName) {
  Knobs knobs;
  EXPECT_EQ(parse("tile_y=2,row_tables=1,unit_y=0", knobs), "")
      << "as libraries of that time say it";
  EXPECT_EQ(knobs, (Knobs{2}));
  EXPECT_EQ(parse("unit_y=96", knobs), "unit_y=96: facet has no such knob any more");
}

TEST(Knobs, AreRefusedWithReasons) {
  const auto refusal = [](std::string_view text) {
    Knobs knobs;
    const std::string reason = parse(text, knobs);
    EXPECT_EQ(knobs, Knobs{}) << "half of '" << text << "' was taken";
    return reason;
  };
  EXPECT_EQ(refusal("tile_z=2,tile_y=99"), "tile_y=99: legal are 1 to 16");
  EXPECT_EQ(refusal("tile_y=0"), "tile_y=0: legal are 1 to 16");
  EXPECT_EQ(refusal("tile_y=-1"), "tile_y=-1: legal are 1 to 16");
  EXPECT_EQ(refusal("tile_y=4x"), "tile_y=4x: legal are 1 to 16");
  EXPECT_EQ(refusal("tile_y=99999999999"), "tile_y=99999999999: legal are 1 to 16");
  EXPECT_EQ(refusal("vector_bytes=8"), "vector_bytes=8: legal are 0 or 16 to 256, powers of two");
  EXPECT_EQ(refusal("grid_y=9"), "grid_y=9: legal are 0 or 8 to 1024 in steps of 8");
  EXPECT_EQ(refusal("tile_y"), "tile_y needs a value: legal are 1 to 16");
  EXPECT_EQ(refusal("tile_y="), "tile_y=: legal are 1 to 16");
  EXPECT_EQ(refusal("tile_y=2,tile_y=3"), "tile_y is given twice");
  EXPECT_TRUE(refusal("blok_t=2").starts_with("no knob 'blok_t'; did you mean 'block_t'? "));
  EXPECT_TRUE(refusal("frequency=2").starts_with("no knob 'frequency'; there are tile_y, "));
  EXPECT_TRUE(refusal(",").starts_with("no knob ''"));
}

TEST(Knobs, FitTheTargetsVectors) {
  Knobs knobs;
  knobs.vectorBytes = 32;
  EXPECT_EQ(problem(knobs, 64), "");
  EXPECT_EQ(problem(knobs, 32), "");
  EXPECT_EQ(problem(knobs, 16), "") << "two registers side by side";
  knobs.vectorBytes = 128;
  EXPECT_EQ(problem(knobs, 16), "vector_bytes=128: the target's vectors have 16, and no more than "
                                "4 are worked on side by side");
  EXPECT_EQ(problem(knobs), "") << "no target: not checked";
}

} // namespace
} // namespace facet::schedules
