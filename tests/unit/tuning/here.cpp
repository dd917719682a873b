// here.cpp - entries hold on the CPU and with the versions they were tuned with, and no other.
#include "entries.h"
#include "tests/support/opencl.h"
#include <algorithm>
#include <cstdlib>

namespace facet::test {
namespace {

TEST_F(SchedulesTest, WhatWasTunedHereHolds) {
  mergeSchedules(file, {tunedHere()});
  const Schedules here = schedulesHere(file, {});
  ASSERT_EQ(here.held.size(), 1U);
  EXPECT_EQ(here.held[0].from, "tuned on " + tunedHere().date);
  ASSERT_NE(here.find(tunedHere().key), nullptr);
  TunedKey other = tunedHere().key;
  other.kernel = "another name";
  EXPECT_NE(here.find(other), nullptr);
  other.shape = "another";
  EXPECT_EQ(here.find(other), nullptr);
}

TEST_F(SchedulesTest, OfADeviceHoldOnThatDeviceWhateverTheCpu) {
  Tuned own = tunedHere("f32"), other = tunedHere("f64");
  own.key.target = other.key.target = "opencl";
  own.knobs.blockY = 8;
  sign(own);
  FACET_NEED_OPENCL(!own.device.empty(), "no signature");
  own.cpu = "VendorOther 1 2 3";
  other.device = "GPU, OpenCL 9, 1.0";
  mergeSchedules(file, {own, other});
  const std::vector<Tuned> held = schedulesHere(file, {}).held;
  ASSERT_EQ(held.size(), 1U);
  EXPECT_EQ(held[0].key.klass, "f32");
  EXPECT_EQ(held[0].knobs.blockY, 8);
  EXPECT_HAS(schedulesJson(held), "\"block_y\": 8");
  EXPECT_EQ(scheduleFiles(file)[0].entries[1].refusal, "of another device, GPU, OpenCL 9, 1.0");
  EXPECT_TRUE(schedulesHere(file, {}, false).held.empty()) << "no driver is asked";
  mergeSchedules(file, {own});
  EXPECT_EQ(read().size(), 2U) << "in the place of the same device's";
}

TEST_F(SchedulesTest, KnobsAndWordsOfDevicesAreOfTheirTargetsAlone) {
  Tuned entry = tunedHere();
  entry.key.target = "opencl";
  entry.device = "GPU, OpenCL 9, 1.0";
  mergeSchedules(file, {entry});
  const std::string good = text();
  const auto without = [&](const std::string &from, const std::string &to) {
    std::string all = good;
    write(all.replace(all.find(from), from.size(), to));
    read();
    return refused;
  };
  EXPECT_HAS(without("device = ", "# "), "it has no 'device'");
  EXPECT_HAS(without("block_z", "vector_bytes"),
             "vector_bytes is no knob of direct sums of devices");
  EXPECT_HAS(without("\"opencl\"", "\"avx2\""), "no knob of direct sums\n");
}

TEST_F(SchedulesTest, TunedAgainIsNotStale) {
  Tuned old = tunedHere();
  old.facet = "0.0.1";
  mergeSchedules(file, {old, tunedHere()});
  const Schedules here = schedulesHere(file, {});
  EXPECT_EQ(here.held.size(), 1U);
  EXPECT_TRUE(here.stale.empty());
}

TEST_F(SchedulesTest, ShippedProfilesAreRefusedForTheirCpuAlone) {
  for (const auto &entry : fs::directory_iterator(MACHINES)) {
    if (entry.path().extension() != ".toml")
      continue;
    SCOPED_TRACE(entry.path());
    for (const ScheduleFile &shipped : scheduleFiles(entry.path())) {
      EXPECT_TRUE(shipped.refused.empty()) << shipped.refused.front();
      EXPECT_FALSE(shipped.entries.empty());
      for (const Tuned &one : shipped.entries)
        EXPECT_TRUE(one.refusal.empty() || one.refusal.starts_with("of another CPU"))
            << one.key.text() << ": " << one.refusal;
    }
  }
}

} // namespace
} // namespace facet::test
