// traffic.cpp - loads and bytes of schedules, against numbers worked out by hand.
#include "made_up.h"
#include <gtest/gtest.h>

namespace facet::runtime {
namespace {

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

} // namespace
} // namespace facet::runtime
