// device_space.cpp - candidates of devices are legal, a block of theirs can exist, and every knob
// of devices is searched.
#include "runtime/tuning/search/device_space.h"
#include <algorithm>
#include <gtest/gtest.h>

namespace facet::runtime {
namespace {

using schedules::Knobs;

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
std::string with(const SpaceRequest &request, const std::string &knobs) {
  Knobs own = request.initial;
  EXPECT_EQ(schedules::parse(knobs, own), "");
  return leftOut(own, request);
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

TEST(DeviceSpace, SearchesEveryKnobOfDevicesThatIsCompiledIn) {
  for (const auto algorithm : {FACET_DIRECT, FACET_SEPARABLE}) {
    const SpaceRequest request = h200(algorithm);
    const std::vector<KnobGroup> groups = deviceGroups(request);
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
      const bool runtimes = std::find(std::begin(runtimeKnobs), std::end(runtimeKnobs),
                                      knob.member) != std::end(runtimeKnobs);
      const bool device = schedules::isUsed(knob, algorithm == FACET_SEPARABLE, true);
      EXPECT_EQ(times, device && !runtimes ? 1 : 0) << knob.name;
    }
  }
}

} // namespace
} // namespace facet::runtime
