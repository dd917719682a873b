// space.cpp - candidates are legal, fit the registers, keep the accuracy, and hold the default.
#include "runtime/tuning/search/space.h"
#include <algorithm>
#include <gtest/gtest.h>

namespace facet::runtime {
namespace {

using schedules::Knobs;

SpaceRequest avx512(facet_algorithm algorithm, facet_class klass = FACET_F32,
                    facet_grid_kind grid = FACET_PRODUCT) {
  SpaceRequest request{algorithm, klass, grid, 64, 32, {}};
  request.initial.blockT = klass == FACET_F64 ? 512 : 128;
  if (grid == FACET_POINTS)
    request.initial.tileY = 1;
  return request;
}
bool has(const std::vector<int> &values, int value) {
  return std::find(values.begin(), values.end(), value) != values.end();
}

TEST(Space, EveryCandidateIsLegalAndStandsOnce) {
  for (const auto algorithm : {FACET_DIRECT, FACET_SEPARABLE})
    for (const auto klass : {FACET_F32, FACET_F64}) {
      const SpaceRequest request = avx512(algorithm, klass);
      const std::vector<Knobs> all = combinations(spaceOf(request), request);
      EXPECT_EQ(all.front(), request.initial);
      EXPECT_GT(all.size(), 90U);
      EXPECT_LT(all.size(), 700U);
      for (std::size_t k = 0; k < all.size(); ++k) {
        EXPECT_EQ(schedules::problem(all[k], 64), "");
        EXPECT_EQ(std::count(all.begin(), all.end(), all[k]), 1);
      }
    }
}

TEST(Space, TilesWhoseSumsCannotStayInRegistersAreLeftOut) {
  SpaceRequest request = avx512(FACET_SEPARABLE);
  const auto most = [&] {
    int most = 0;
    for (const auto &[y, z] : spaceOf(request).tiles)
      most = std::max(most, 2 * y * z);
    return most;
  };
  EXPECT_EQ(most(), 24);
  EXPECT_GT(spaceOf(request).tooLarge, 0);
  request.registers = 16;
  EXPECT_EQ(most(), 12);
  request.initial.tileY = 16;
  EXPECT_EQ(most(), 32) << "the default is tried all the same";
}

TEST(Space, PointsHaveOneRow) {
  const SpaceRequest request = avx512(FACET_DIRECT, FACET_F32, FACET_POINTS);
  const Space space = spaceOf(request);
  for (const auto &[y, z] : space.tiles)
    EXPECT_EQ(y, 1);
  EXPECT_EQ(space.gridY, std::vector<int>{0});
}

TEST(Space, SinglePrecisionAddsNoMoreRecordsThanItsAccuracyAllows) {
  const Space narrow = spaceOf(avx512(FACET_DIRECT)),
              wide = spaceOf(avx512(FACET_DIRECT, FACET_F64));
  EXPECT_EQ(narrow.blockT.back(), 192);
  EXPECT_EQ(wide.blockT.back(), 1024);
  SpaceRequest odd = avx512(FACET_DIRECT);
  odd.initial.blockT = 100;
  EXPECT_TRUE(has(spaceOf(odd).blockT, 100));
}

TEST(Space, NarrowTargetsHaveNoHalfVectors) {
  SpaceRequest request = avx512(FACET_DIRECT);
  EXPECT_TRUE(has(spaceOf(request).vectorBytes, 32));
  request.vectorBytes = 16;
  EXPECT_EQ(spaceOf(request).vectorBytes, std::vector<int>{0});
}

TEST(Space, GridsAreCutBetweenBandsOfRows) {
  const SpaceRequest request = avx512(FACET_DIRECT);
  const auto fitted = [&](int rows) {
    Knobs knobs = request.initial;
    knobs.tileY = rows;
    fitRows(knobs, request);
    return knobs.gridY;
  };
  EXPECT_EQ(fitted(1), 0);
  EXPECT_EQ(fitted(8), 0);
  EXPECT_EQ(fitted(3), 24);
  EXPECT_EQ(fitted(5), 40);
  EXPECT_EQ(fitted(6), 24);
  Knobs five = request.initial;
  five.tileY = 5;
  fitRows(five, request);
  for (const Knobs &cut : cuts(five, spaceOf(request), request))
    EXPECT_EQ(cut.gridY % 5, 0);
  EXPECT_EQ(cuts(five, spaceOf(request), request).front(), five);
  EXPECT_GT(cuts(request.initial, spaceOf(request), request).size(), 3U);
}

} // namespace
} // namespace facet::runtime
