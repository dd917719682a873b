// models.cpp - partial models find the constants of data that follows them, and bear noise.
#include "runtime/tuning/search/models.h"
#include <cmath>
#include <gtest/gtest.h>

namespace facet::runtime {
namespace {

TEST(Models, BlocksHaveAStartAndATimeARecord) {
  const BlockModel model =
      fitBlock({{16, 10 + 16 * 2.0}, {64, 10 + 64 * 2.0}, {256, 10 + 256 * 2.0}});
  EXPECT_NEAR(model.tConst, 10, 1e-9);
  EXPECT_NEAR(model.tLat, 2, 1e-9);
  EXPECT_NEAR(model.rate(5), 0.25, 1e-9);
  EXPECT_LT(model.rate(64), model.rate(128));
}

TEST(Models, AStartBelowNothingIsNone) {
  const BlockModel model = fitBlock({{16, 30}, {64, 128}, {256, 520}});
  EXPECT_EQ(model.tConst, 0);
  EXPECT_NEAR(model.tLat, 2, 0.1);
  EXPECT_NEAR(fitBlock({{64, 128}}).tLat, 2, 1e-9) << "one call alone";
}

TEST(Models, VectorsGainWhatIsNotSequential) {
  const VectorModel truth{3, 0.2};
  const VectorModel model = fitVector(8, truth.perLane(8), 16, truth.perLane(16));
  EXPECT_NEAR(model.t1, 3, 1e-9);
  EXPECT_NEAR(model.sequential, 0.2, 1e-9);
  EXPECT_NEAR(model.perLane(4), truth.perLane(4), 1e-9);
  EXPECT_EQ(fitVector(8, 1, 16, 0.4).sequential, 0) << "more than a half is as good as a half";
  EXPECT_EQ(fitVector(8, 1, 16, 1.1).sequential, 1) << "wider is slower: nothing is gained";
}

TEST(Models, TilesShareTheWorkOfRowsAndOfVectors) {
  const TileModel truth{{1, 0.5, 0.25, 0.125}, 0};
  std::vector<TileTime> times;
  for (const auto &[y, z] : {std::pair{1, 1}, {2, 1}, {1, 2}, {4, 2}, {8, 1}, {1, 4}})
    times.push_back({y, z, truth.seconds(y, z)});
  TileModel model = fitTile(times);
  EXPECT_LT(model.misfit, 1e-3);
  EXPECT_NEAR(model.seconds(6, 3), truth.seconds(6, 3), 2e-3);
  times[3].seconds *= 1.3; // one tile spills
  model = fitTile(times);
  EXPECT_GT(model.misfit, 0.03) << "and the misfit says so";
  for (const double c : model.c)
    EXPECT_GE(c, 0);
}

TEST(Models, ThreadsBeyondTheCoresGainNothing) {
  EXPECT_EQ(threadRate(5, 2, 4), 10);
  EXPECT_EQ(threadRate(5, 8, 4), 20);
}

} // namespace
} // namespace facet::runtime
