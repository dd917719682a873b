// space.cpp - candidates are legal, fit the registers and the device, keep the accuracy, and hold
// the default; every knob is searched.
#include "runtime/engine/tune/search.h"
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
SpaceRequest h200(facet_algorithm algorithm = FACET_DIRECT, facet_class klass = FACET_F32,
                  facet_grid_kind grid = FACET_PRODUCT) {
  SpaceRequest request{algorithm, klass, grid, 64, 32, {}, {1024, 65536, 49152, 64}};
  request.initial.blockT = 128;
  request.initial.tileY = grid == FACET_POINTS ? 1 : 8;
  request.initial.blockY = grid == FACET_POINTS ? 1 : 4;
  request.initial.tileZ = 2;
  request.initial.hardware = 1;
  return request;
}
std::vector<int> valuesOf(const SpaceRequest &request, int Knobs::*knob) {
  for (const KnobGroup &group : groupsOf(request))
    for (const KnobGroup::Axis &axis : group.axes)
      if (axis.member == knob)
        return axis.values;
  return {};
}
std::string with(const SpaceRequest &request, const std::string &knobs) {
  Knobs own = request.initial;
  EXPECT_EQ(schedules::parse(knobs, own), "");
  return leftOut(own, request);
}

TEST(Space, EveryKnobThatIsNotOfARunIsSearchedOnceWithLegalValues) {
  for (const auto algorithm : {FACET_DIRECT, FACET_SEPARABLE})
    for (const SpaceRequest &request : {avx512(algorithm), h200(algorithm)}) {
      const std::vector<KnobGroup> groups = groupsOf(request);
      for (const schedules::KnobInfo &knob : schedules::knobTable()) {
        int times = 0;
        for (const KnobGroup &group : groups)
          for (const KnobGroup::Axis &axis : group.axes)
            if (axis.member == knob.member) {
              ++times;
              EXPECT_TRUE(std::is_sorted(axis.values.begin(), axis.values.end()));
              EXPECT_EQ(
                  std::count(axis.values.begin(), axis.values.end(), request.initial.*knob.member),
                  1);
              for (const int value : axis.values)
                EXPECT_TRUE(schedules::isLegal(knob, value)) << knob.name << '=' << value;
            }
        const bool ofRun = knob.name == "threads" || knob.name == "streams";
        const bool used = schedules::isUsed(knob, algorithm == FACET_SEPARABLE, request.onDevice());
        EXPECT_EQ(times, used && !ofRun ? 1 : 0) << knob.name;
      }
    }
}

TEST(Space, AroundAreTheNextValuesAndTrades) {
  const KnobGroup group{"", {{&Knobs::tileY, {1, 2, 4, 8}}, {&Knobs::tileZ, {1, 2, 4}}}};
  Knobs at;
  at.tileY = 8, at.tileZ = 2;
  std::vector<std::pair<int, int>> tiles;
  for (const Knobs &knobs : group.around(at))
    tiles.emplace_back(knobs.tileY, knobs.tileZ);
  EXPECT_EQ(tiles, (std::vector<std::pair<int, int>>{{4, 2}, {4, 4}, {8, 1}, {8, 4}}));
  EXPECT_EQ(group.combinations(), 12U);
  EXPECT_EQ(group.all(at).size(), 12U);
}

TEST(Space, GroupsAreJoinedAsFarAsTheyAreSmall) {
  const SpaceRequest request = avx512(FACET_DIRECT);
  const std::vector<KnobGroup> all = joined(groupsOf(request), 400);
  EXPECT_LT(all.size(), groupsOf(request).size());
  std::size_t most = 0;
  for (const KnobGroup &group : all)
    most = std::max(most, group.combinations());
  EXPECT_GT(most, 90U);
  EXPECT_LE(most, 400U);
}

TEST(Space, TilesWhoseSumsCannotStayInRegistersAreLeftOut) {
  SpaceRequest request = avx512(FACET_SEPARABLE);
  EXPECT_EQ(with(request, "tile_y=6,tile_z=2"), "");
  EXPECT_EQ(with(request, "tile_y=5,tile_z=3"), "its sums take 30 registers of 28");
  request.registers = 16;
  EXPECT_NE(with(request, "tile_y=6,tile_z=2"), "");
  request.initial.tileY = 16;
  EXPECT_EQ(with(request, ""), "") << "the default is tried all the same";
}

TEST(Space, TensorCoresTakeSeparableSumsInDouble) {
  const std::string why = "tensor cores take separable sums in f64 alone";
  EXPECT_EQ(with(h200(FACET_SEPARABLE, FACET_F64), "tensor=1"), "");
  EXPECT_EQ(with(h200(FACET_SEPARABLE), "tensor=1"), why);
  EXPECT_EQ(with(h200(FACET_DIRECT, FACET_F64), "tensor=1"), why);
}

TEST(Space, PointsHaveOneRow) {
  const SpaceRequest request = avx512(FACET_DIRECT, FACET_F32, FACET_POINTS);
  EXPECT_EQ(valuesOf(request, &Knobs::tileY), std::vector<int>{1});
  EXPECT_EQ(valuesOf(request, &Knobs::gridY), std::vector<int>{0});
}

TEST(Space, SinglePrecisionAddsNoMoreRecordsThanItsAccuracyAllows) {
  EXPECT_EQ(valuesOf(avx512(FACET_DIRECT), &Knobs::blockT).back(), 192);
  EXPECT_EQ(valuesOf(avx512(FACET_DIRECT, FACET_F64), &Knobs::blockT).back(), 1024);
  SpaceRequest odd = avx512(FACET_DIRECT);
  odd.initial.blockT = 100;
  EXPECT_EQ(valuesOf(odd, &Knobs::blockT), (std::vector<int>{64, 100, 128, 192}));
}

TEST(Space, NarrowTargetsHaveNoHalfVectors) {
  SpaceRequest request = avx512(FACET_DIRECT);
  EXPECT_EQ(valuesOf(request, &Knobs::vectorBytes), (std::vector<int>{0, 32}));
  request.vectorBytes = 16;
  EXPECT_EQ(valuesOf(request, &Knobs::vectorBytes), std::vector<int>{0});
}

TEST(Space, ListsTryRegistersSideBySide) {
  SpaceRequest request = avx512(FACET_DIRECT, FACET_F64, FACET_POINTS);
  EXPECT_EQ(valuesOf(request, &Knobs::vectorBytes), (std::vector<int>{0, 32, 128, 256}));
  request.registers = 16;
  EXPECT_EQ(with(request, "tile_z=2,vector_bytes=256"), "");
  EXPECT_EQ(with(request, "tile_z=3,vector_bytes=256"), "its sums take 24 registers of 16");
  request.vectorBytes = 32;
  request.initial.vectorBytes = 128; // a default
  EXPECT_EQ(valuesOf(request, &Knobs::vectorBytes), (std::vector<int>{0, 16, 64, 128}));
}

TEST(Space, GridsAreCutBetweenBandsOfRows) {
  const SpaceRequest request = avx512(FACET_DIRECT);
  const auto cut = [&](int rows, int grid = 0) {
    Knobs knobs = request.initial;
    knobs.tileY = rows, knobs.gridY = grid;
    return fitted(knobs, request).gridY;
  };
  EXPECT_EQ(cut(1), 0);
  EXPECT_EQ(cut(8), 0);
  EXPECT_EQ(cut(3), 24);
  EXPECT_EQ(cut(5), 40);
  EXPECT_EQ(cut(6), 24);
  EXPECT_EQ(cut(8, 64), 64);
  EXPECT_EQ(cut(5, 64), 40) << "64 rows are no whole bands of 5";
  EXPECT_EQ(cut(4, 24), 0) << "24 were for another tile";
}

TEST(DeviceSpace, TakesTheDefaultAndItsNeighbours) {
  EXPECT_EQ(with(h200(), ""), "");
  EXPECT_EQ(with(h200(), "tile_y=4,tile_z=4,block_y=8"), "");
  EXPECT_EQ(with(h200(FACET_DIRECT, FACET_F32, FACET_POINTS), "block_z=128"), "");
}

TEST(DeviceSpace, LeavesOutBlocksThatTheDeviceCannotHave) {
  EXPECT_EQ(with(h200(), "block_z=128,block_y=16,tile_y=1,tile_z=1"),
            "a block of 2048 threads, the device allows 1024");
  EXPECT_EQ(with(h200(), "block_z=64,block_y=16,tile_y=8,tile_z=4,unroll_t=1"),
            "a block of 1024 threads with at least 88 registers each, the device has 65536");
  EXPECT_EQ(with(h200(FACET_DIRECT, FACET_F64), "tile_y=16,tile_z=4,unroll_t=1"),
            "its sums take 256 registers of a thread's 255");
  EXPECT_EQ(with(h200(), "block_t=1024"),
            "1024 records take 65536 bytes of shared memory, a block may have 49152");
  EXPECT_EQ(with(h200(FACET_DIRECT, FACET_F32, FACET_POINTS), "tile_y=2"), "points have one row");
  EXPECT_NE(with(h200(), "tile_z=4,unroll_t=16").find("its inner loop"), std::string::npos)
      << "as long as 512 terms";
}

TEST(DeviceSpace, NeverTakesFunctionsWhoseErrorIsUnbounded) {
  SpaceRequest opencl = h200();
  EXPECT_EQ(with(opencl, "hardware=0"), "");
  opencl.initial.hardware = 0;
  EXPECT_NE(with(opencl, "hardware=1"), "");
}

} // namespace
} // namespace facet::runtime
