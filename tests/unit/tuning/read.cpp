// read.cpp - what a schedule file says is read, and what cannot be used is refused by name.
#include "entries.h"

namespace facet::test {
namespace {

TEST_F(SchedulesTest, AMissingFileHasNoEntries) {
  EXPECT_TRUE(read().empty());
  EXPECT_EQ(refused, "");
}

TEST_F(SchedulesTest, WhatIsWrittenIsRead) {
  const Tuned entry = tunedHere();
  mergeSchedules(file, {entry});
  const std::vector<Tuned> entries = read();
  EXPECT_EQ(refused, "");
  ASSERT_EQ(entries.size(), 1U);
  EXPECT_TRUE(entries[0].key.sameVariant(entry.key));
  EXPECT_EQ(entries[0].key.kernel, "born");
  EXPECT_EQ(entries[0].knobs, entry.knobs);
  EXPECT_DOUBLE_EQ(entries[0].throughput, entry.throughput);
  EXPECT_DOUBLE_EQ(entries[0].before, entry.before);
  EXPECT_EQ(entries[0].cpu, entry.cpu);
  EXPECT_EQ(entries[0].facet, entry.facet);
  EXPECT_EQ(entries[0].halide, entry.halide);
  EXPECT_EQ(entries[0].date, entry.date);
  EXPECT_EQ(entries[0].line, 3);
}

TEST_F(SchedulesTest, OddTextsComeBack) {
  Tuned entry = tunedHere();
  entry.cpu = "a \"quoted\" \\ name\twith a tab";
  mergeSchedules(file, {entry});
  const std::vector<Tuned> entries = read();
  ASSERT_EQ(entries.size(), 1U) << refused;
  EXPECT_EQ(entries[0].cpu, entry.cpu);
}

struct Wrong {
  const char *from, *to, *says;
};
const Wrong wrongs[] = {
    {"tile_y = 6", "tile_y = 99", "schedule 1 is not used: tile_y=99: legal are 1 to 16"},
    {"tile_y = 6", "tile_y = 99999999999", "tile_y=99999999999: legal are"},
    {"tile_y = 6", "tile_y = 1.5", "tile_y is to be a whole number"},
    {"tile_y = 6", "tile_y = \"6\"", "tile_y is to be a whole number"},
    {"tile_y = 6", "tile_w = 6", "no knob 'tile_w': did you mean 'tile_y'?"},
    {"tile_y = 6", "tile_layout = 1", "tile_layout"},
    {"vector_bytes = 0", "vector_bytes = 64", "vector_bytes=64: the target's vectors have 32"},
    {"target = \"avx2\"", "target = \"avx3\"", "target = \"avx3\": did you mean 'avx2'?"},
    {"class = \"f32\"", "class = \"f16\"", "class = \"f16\": known: f32, f32-careful, f64"},
    {"algorithm = \"direct\"", "algorithm = \"nufft\"", "known: direct, separable"},
    {"grid = \"product\"", "grid = \"cube\"", "known: product, points"},
    {"q = \"real\"", "q = 3", "'q' is to be a text"},
    {"shape = ", "form = ", "it has no 'shape'"},
    {"cpu = ", "machine = ", "it has no 'cpu'"},
    {"facet = ", "version = ", "it has no 'facet'"},
    {"halide = ", "compiler = ", "it has no 'halide'"},
    {"date = ", "day = ", "it has no 'date'"},
    {"knobs = ", "numbers = ", "it has no table 'knobs'"},
    {"throughput = ", "throughput = \"many\" # ", "'throughput' is to be a number"},
    {"before = ", "behind = ", "unknown word 'behind'"},
    {"before = 5.0000e+09", "tile_y = 4", "unknown word 'tile_y': knobs belong in knobs"},
};

TEST_F(SchedulesTest, AnEntryThatCannotBeUsedIsRefusedWithItsLine) {
  for (const Wrong &wrong : wrongs) {
    SCOPED_TRACE(wrong.to);
    writeWith(wrong.from, wrong.to);
    EXPECT_TRUE(read().empty());
    EXPECT_HAS(refused, wrong.says);
    EXPECT_HAS(refused, "schedules.toml:");
  }
}

TEST_F(SchedulesTest, KnobsThatFacetHasNoMoreAreLeftOutSilentlyWhereTheyAskedForNothing) {
  writeWith("tile_y = 6", "tile_y = 6, unit_y = 0, unit_t = 0");
  EXPECT_EQ(read().size(), 1U);
  EXPECT_EQ(refused, "");
}

TEST_F(SchedulesTest, AFileOfSomethingElseIsRefusedWhole) {
  write("[run]\nthreads = 2\n");
  EXPECT_TRUE(read().empty());
  EXPECT_HAS(refused, "'run' does not belong in a schedule file");
}

TEST_F(SchedulesTest, AFolderIsRefused) {
  fs::create_directory(file);
  EXPECT_TRUE(read().empty());
  EXPECT_HAS(refused, "cannot be read");
}

} // namespace
} // namespace facet::test
