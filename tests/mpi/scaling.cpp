// scaling.cpp - what more ranks would give, in cases whose answer is plain.
#include "runtime/blocks/scaling.h"
#include <facet/runtime/error.h>
#include <filesystem>
#include <gtest/gtest.h>

using namespace facet::runtime;

namespace {

/// 6,400 units of a second each, and nothing else.
ScalingCosts sums() {
  ScalingCosts costs;
  costs.units = 6400;
  costs.unitSeconds = 1;
  return costs;
}

Cluster free() {
  Cluster c;
  c.latency = c.syncSeconds = c.startOfMpi = c.startOfRank = 0;
  return c;
}

} // namespace

TEST(Scaling, OfSumsAloneIsIdealUntilTheUnitsRunOut) {
  for (const int p : {1, 2, 64, 6400})
    EXPECT_NEAR(predictScaling(sums(), free(), p).efficiency, 1, 1e-9) << p;
  EXPECT_NEAR(predictScaling(sums(), free(), 6400).seconds(), 1, 1e-9);
  EXPECT_NEAR(predictScaling(sums(), free(), 10000).seconds(), 1, 1e-9);
  EXPECT_NEAR(predictScaling(sums(), free(), 10000).efficiency, 0.64, 1e-9);
  const ScalingEnd end = scalingEnd(sums(), free(), 20000);
  EXPECT_EQ(end.ranks, 12800);
  EXPECT_NE(end.why.find("6400 units"), std::string::npos) << end.why;
}

TEST(Scaling, CountsTheMostLoadedRank) {
  EXPECT_NEAR(predictScaling(sums(), free(), 3).compute, 2134, 1e-9);
}

TEST(Scaling, GoesOnWhereRanksShareTheBlocksOfAUnit) {
  ScalingCosts costs = sums();
  costs.units = 10;
  costs.blocks = 4;
  EXPECT_NEAR(predictScaling(costs, free(), 40).compute, 0.25, 1e-9);
  EXPECT_NEAR(predictScaling(costs, free(), 30).compute, 0.5, 1e-9); // two of four
  EXPECT_NEAR(predictScaling(costs, free(), 400).compute, 0.25, 1e-9);
}

TEST(Scaling, EndsWithWhatIsNotShared) { // Amdahl
  ScalingCosts costs = sums();
  costs.startSeconds = 10;
  const ScalingPoint p = predictScaling(costs, free(), 100);
  EXPECT_NEAR(p.efficiency, 6410 / (100 * 74.0), 1e-9);
  const ScalingEnd end = scalingEnd(costs, free(), 10000);
  EXPECT_NEAR(end.ranks, 643, 3);
  EXPECT_NE(end.why.find("start"), std::string::npos) << end.why;
}

TEST(Scaling, MeasuresTheErrorInATenthOfTheRunButOn16QAtLeast) {
  ScalingCosts costs = sums();
  costs.sampleSeconds = 1;
  EXPECT_NEAR(predictScaling(costs, free(), 1).error, 64, 1e-9);
  EXPECT_NEAR(predictScaling(costs, free(), 20).error, 4, 1e-9); // by turns
  EXPECT_NEAR(predictScaling(costs, free(), 6400).error, 1, 1e-9);
  costs.sampleSeconds = 1000;
  EXPECT_NEAR(predictScaling(costs, free(), 2).error, 8000, 1e-9);
}

TEST(Scaling, AMeshInBlocksIsReadForEachUnitAndNeverHeld) {
  ScalingCosts costs = sums();
  costs.streamed = true;
  costs.meshBytes = 1e9;
  costs.meshSeconds = 5;
  costs.passSeconds = 2;
  costs.rankBytes = 1e8;
  EXPECT_NEAR(predictScaling(costs, free(), 1).mesh, 5 + 2 * 6401, 1e-6);
  EXPECT_NEAR(predictScaling(costs, free(), 64).mesh, 5 + 6400 / 20.0, 1e-6); // the file system
  EXPECT_EQ(predictScaling(costs, free(), 64).bytes, 1e8);
}

TEST(Scaling, EndsWithTheMeshAndTheResult) {
  ScalingCosts costs = sums();
  costs.meshBytes = 40e9;
  EXPECT_NE(scalingEnd(costs, free(), 10000).why.find("mesh"), std::string::npos);
  costs.meshBytes = 0;
  costs.resultBytes = 2e12;
  EXPECT_NE(scalingEnd(costs, free(), 10000).why.find("writing"), std::string::npos);
  costs.resultBytes = 0;
  Cluster slow = free();
  slow.startOfRank = 0.1;
  EXPECT_NE(scalingEnd(costs, slow, 10000).why.find("start"), std::string::npos);
}

TEST(Scaling, CurveEndsAtTheMostAndSaysSo) {
  const auto curve = scalingCurve(sums(), Cluster(), 10000);
  EXPECT_EQ(curve.front().ranks, 1);
  EXPECT_EQ(curve.back().ranks, 10000);
  EXPECT_NEAR(curve.front().efficiency, 1, 1e-12);
  EXPECT_EQ(scalingEnd(sums(), free(), 100).ranks, 100);
  EXPECT_NE(scalingTable(curve).find(" 10000 "), std::string::npos);
}

TEST(Scaling, MemoryOfARankIsTheMeshAndItsOwn) {
  ScalingCosts costs = sums();
  costs.meshBytes = 2e9;
  costs.rankBytes = 1e9;
  EXPECT_EQ(predictScaling(costs, Cluster(), 512).bytes, 3e9);
}

TEST(Scaling, IsDrawn) {
  const std::string path = testing::TempDir() + "facet-scaling.png";
  ScalingCosts costs = sums();
  costs.startSeconds = 2;
  const Cluster cluster;
  writeScaling(scalingCurve(costs, cluster, 10000), scalingEnd(costs, cluster, 10000),
               {{1, 6402}, {2, 3210}}, "6,400 units of 1 s", path);
  EXPECT_GT(std::filesystem::file_size(path), 10000U);
  EXPECT_THROW(writeScaling(scalingCurve(costs, cluster, 4), {}, {}, "", "/no/folder/x.png"),
               Error);
}
