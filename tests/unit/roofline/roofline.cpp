// roofline.cpp - rooflines of a machine and kernels with round numbers: loads and bytes against
// numbers worked out by hand, each remark when it holds and not otherwise, pictures and JSON.
#include "runtime/engine/tune/roofline/roofline.h"
#include "tests/support/folder.h"
#include <facet/runtime/error.h>
#include <facet/runtime/output.h>
#include <filesystem>
#include <gtest/gtest.h>

namespace facet::runtime {
namespace {

/// 100 GFLOP/s in f32 with vectors of 16: 3.125e9 multiply-adds of vectors a second; as many loads.
Ceilings madeUpMachine() {
  Ceilings c;
  c.target = "avx512";
  c.vectorBytes = 64;
  c.flops = {100e9, 50e9};
  c.sincos = {2e9, 1e9};
  c.sincosFlops = {24, 40};
  c.levels = {{"L1", 48 * 1024, 200e9}, {"L2", 2e6, 100e9}, {"L3", 2e7, 20e9}, {"memory", 0, 10e9}};
  return c;
}

std::vector<double> cachesOf(const Ceilings &c) {
  std::vector<double> caches;
  for (const Bandwidth &level : c.levels)
    if (level.bytes > 0)
      caches.push_back(level.bytes);
  return caches;
}

/// The classic integrand, separable, f32: a tile of 4 rows by 2 vectors, 192 records, 400 x 400 q.
Reading separableReading() {
  Reading r;
  r.key = {"born", "", "separable", "f32", "avx512", "product", "real"};
  r.knobs = "tile_y=4,tile_z=2,block_t=192";
  Operations &o = r.operations;
  o.flopsAQ = "12 nt + 8";
  o.innerFlops = 12, o.innerInstructions = o.innerMultiplyAdds = 6;
  o.rowFlops = 31, o.rowValues = 4, o.columnFlops = 22, o.columnValues = 2;
  Setup &p = r.problem;
  p.separable = true;
  p.knobs.tileY = 4, p.knobs.tileZ = 2, p.knobs.blockT = 192;
  p.recordBytes = 48, p.records = 6600, p.q = 160000;
  p.tile = {1, 400, 400};
  return r;
}

/// The same summed directly: a tile of 4 rows by 1 vector, 128 records, calls of 16 x 256 q.
Reading directReading() {
  Reading r = separableReading();
  r.key.algorithm = "direct", r.knobs = "tile_y=4,tile_z=1,block_t=128";
  Operations &o = r.operations;
  o.flopsAQ = "27 nt + 8";
  o.innerFlops = 27, o.innerInstructions = 19, o.innerMultiplyAdds = 10, o.innerSincos = 1;
  o.rowFlops = 6, o.rowValues = 2, o.columnFlops = 2, o.columnValues = 2, o.recordValues = 2;
  Setup &p = r.problem;
  p.separable = false;
  p.knobs.tileZ = 1, p.knobs.blockT = 128;
  p.recordBytes = 24;
  p.tile = {1, 16, 256};
  return r;
}

/// With its traffic on the machine, at a share of what arithmetic allows.
Reading at(Reading r, double share, const Ceilings &c = madeUpMachine()) {
  r.traffic = trafficOf(r.operations, r.problem, cachesOf(c));
  r.rate = share * c.instructions(r.isDouble()) * r.problem.lanes / r.operations.innerInstructions;
  return r;
}

// Traffic
// ---------------------------------------------------------------------------
const Stream &stream(const Traffic &traffic, const std::string &name) {
  for (const Stream &s : traffic.streams)
    if (s.name == name)
      return s;
  throw std::runtime_error("no stream " + name);
}

TEST(Traffic, OfASeparableTileIsFourBroadcastsARowAndTwoVectorsAColumn) {
  const Reading r = at(separableReading(), 1);
  // A row's four values serve 2 vectors, a column's two serve 4 rows; sums: 32 bytes a block of
  // 192.
  EXPECT_NEAR(r.traffic.loads, 4.0 / 2 + 2.0 / 4 + 32.0 / 4 / 192, 1e-12);
  EXPECT_NEAR(r.traffic.bytes[0], 4 * r.traffic.loads, 1e-12);
}

TEST(Traffic, OfColumnTablesComesFromTheCacheThatHoldsThemAll) {
  const Reading r = at(separableReading(), 1);
  // 2 floats for 192 records and 400 z: 614 KB, once a band of 4 rows.
  EXPECT_NEAR(stream(r.traffic, "column tables").through(48 * 1024), 2 * 4 / 4.0, 1e-12);
  EXPECT_EQ(stream(r.traffic, "column tables").through(2e6), 0);
  // Sums, 160,000 of 16 bytes, are passed on by L2 once a block and kept by L3.
  // A band's row tables, 12 KB, leave L1 while a line's columns, 48 KB, pass through it: 4 floats a
  // row, for 32 z.
  EXPECT_NEAR(r.traffic.bytes[1], 2 + 16.0 / 32 + 32.0 / 192 + 48.0 / 160000, 1e-9);
  EXPECT_NEAR(r.traffic.bytes[2], 32.0 / 192 + 48.0 / 160000, 1e-9);
  EXPECT_NEAR(r.traffic.bytes[3], 32.0 / 6600 + 48.0 / 160000, 1e-9);
}

TEST(Traffic, OfADirectTileIsTwoBroadcastsARowAndTheRecord) {
  const Reading r = at(directReading(), 1);
  EXPECT_NEAR(r.traffic.loads, 2 + 2.0 / 4 + 32.0 / 4 / 128, 1e-12);
  EXPECT_NEAR(r.traffic.tableFlops, 6.0 / 256 + 2.0 / 4, 1e-12);
}

TEST(Traffic, OfAListIsOfRecordsAndSums) {
  Reading r = directReading();
  r.problem.points = true;
  r.problem.knobs.tileZ = 2;
  r.problem.tile = {512, 1, 1};
  r.operations.recordValues = 6;
  const Traffic traffic = trafficOf(r.operations, r.problem, {48 * 1024});
  EXPECT_NEAR(traffic.loads, 6.0 / 2 + 32.0 / 4 / 128, 1e-12);
  EXPECT_EQ(traffic.tableFlops, 0);
  EXPECT_EQ(traffic.streams.size(), 2U);
  r.problem.knobs.tileZ = 1;
  r.problem.registers =
      2; // side by side: they share a record's numbers as two vectors of a tile do
  EXPECT_EQ(trafficOf(r.operations, r.problem, {48 * 1024}).loads, traffic.loads);
}

TEST(Traffic, OfALargerTileIsLess) {
  Reading r = separableReading();
  const double loads = trafficOf(r.operations, r.problem, {}).loads;
  r.problem.knobs.tileY = 8;
  EXPECT_LT(trafficOf(r.operations, r.problem, {}).loads, loads);
}

TEST(Stream, IsPassedOnWhereAWorkingSetTakesMoreThanThreeQuartersOfACache) {
  const Stream s{"x", 8, {{750, 2}, {3000, 1}}};
  EXPECT_EQ(s.through(999), 8);
  EXPECT_EQ(s.through(1000), 2);
  EXPECT_EQ(s.through(4000), 1);
}

TEST(Operations, AreThoseOfTheManifestsVariant) {
  facet_kernel_description kernel{};
  kernel.name = "k";
  kernel.manifest = R"({"variants": [
    {"target": "avx2", "class": "f32", "grid": "product", "q": "real", "algorithm": "direct"},
    {"target": "avx512", "class": "f64", "grid": "product", "q": "complex", "algorithm": "separable",
     "operations": {"flops_a_q": "16 nt + 21", "inner_flops": 16, "row_values": 4}}]})";
  facet_variant v{};
  v.target = "avx512", v.klass = FACET_F64, v.grid = FACET_PRODUCT, v.q = FACET_COMPLEX_Q;
  v.algorithm = FACET_SEPARABLE;
  EXPECT_EQ(operationsOf(kernel, v).flopsAQ, "16 nt + 21");
  EXPECT_EQ(operationsOf(kernel, v).innerFlops, 16);
  EXPECT_EQ(operationsOf(kernel, v).rowValues, 4);
  v.target = "avx2";
  EXPECT_THROW(operationsOf(kernel, v), Error);
  v.target = "avx512", v.klass = FACET_F32;
  EXPECT_THROW(operationsOf(kernel, v), Error);
  kernel.manifest = "no JSON";
  EXPECT_THROW(operationsOf(kernel, v), Error);
}

TEST(Caches, AreFoundNearestFirst) {
  const std::vector<DataCache> caches = dataCaches();
  ASSERT_GE(caches.size(), 1U);
  for (std::size_t k = 1; k < caches.size(); ++k)
    EXPECT_GT(caches[k].bytes, caches[k - 1].bytes);
}

// Remarks
// ---------------------------------------------------------------------------
/// The remark that begins so; "" if none does.
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

// Pictures, JSON, text
// ---------------------------------------------------------------------------
Roofline madeUpRoofline() {
  Reading precise = at(separableReading(), 0.9);
  precise.key.klass = "f64";
  return {madeUpMachine(),
          {at(separableReading(), 0.9), at(directReading(), 0.8), precise},
          "a \"CPU\"",
          "2026-11-21"};
}

TEST(RooflinePicture, IsDrawnAsPngAndAsSvg) {
  const test::Folder own;
  const std::filesystem::path &folder = own.path;
  writeRoofline(madeUpRoofline(), folder / "r.png");
  writeRoofline(madeUpRoofline(), folder / "r.svg");
  EXPECT_EQ(test::textOf(folder / "r.png").substr(1, 3), "PNG");
  EXPECT_NE(test::textOf(folder / "r.svg").find("<svg"), std::string::npos);
}

TEST(RooflineJson, HasTheNumbersAndTheWords) {
  const std::string text = rooflineJson(madeUpRoofline());
  for (const char *part :
       {R"("cpu": "a \"CPU\"")", R"("flops_a_q": "12 nt + 8")", R"("level": "memory")",
        R"("bound": "multiply-adds")", "bounded by multiply-adds: 90% of the 6 a TQP"})
    EXPECT_NE(text.find(part), std::string::npos) << part;
}

TEST(RooflineText, SaysAgainstWhichRoofEachLevelIs) {
  const std::string text = rooflineText(madeUpRoofline());
  EXPECT_NE(text.find("f32           100.0 GFLOP/s of fused multiply-adds"), std::string::npos)
      << text;
  EXPECT_NE(text.find("tile_y 4, tile_z 2, block_t 192"), std::string::npos) << text;
  EXPECT_NE(text.find("under the roof of arithmetic"), std::string::npos) << text;
}

} // namespace
} // namespace facet::runtime
