// timeline.cpp - what a device's streams do when: calls overlap through OpenCL, and how that is
// counted.
#include "runtime/engine/device/device.h"
#include "runtime/engine/kernel/inside.h"
#include "runtime/engine/plan/plan_run.h"
#include "runtime/engine/sum/queues.h"
#include "tests/support/opencl.h"
#include <algorithm>
#include <atomic>
#include <chrono>
#include <facet/runtime/plan.h>
#include <filesystem>
#include <future>
#include <gtest/gtest.h>
#include <thread>
#include <unistd.h>

namespace {
std::atomic<bool> looking; // or it has looked
void nothing() {}
} // namespace

// Halide's runtime looks for OpenCL's functions at the first call of a library, in the program
// first. This one, which nothing calls, takes long to find; the one before it in Halide's list is
// there by then, clCreateContext, by which Halide tells that it has looked.
extern "C" {
static void (*foundSlowly())() {
  looking = true;
  looking.notify_all();
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  return nothing;
}
void clCreateContextFromType() __attribute__((ifunc("foundSlowly"), visibility("default")));
}

namespace facet::test {
namespace {

using namespace facet::runtime;

[[maybe_unused]] const int noProfile =
    setenv("FACET_PROFILE", "/nonexistent/facet/machine.toml", 1);

/// `born` for OpenCL, in tiles of 64 x 64.
Kernel library(int streams) {
  const std::string path =
      std::filesystem::temp_directory_path() /
      ("facet-timeline-" + std::to_string(getpid()) + "-" + std::to_string(streams) + ".so");
  if (const int code =
          spawn({FACETC, KERNELS "/born.cpp", "--emit=library", "--targets=opencl",
                 "--algorithms=direct", "--grid=product", "--q=real", "--class=f32",
                 "--knobs=grid_y=64,grid_z=64,streams=" + std::to_string(streams), "-o", path}))
    throw Error(path, "facetc: exit code " + std::to_string(code));
  Kernel kernel = Kernel::load(path);
  std::filesystem::remove(path);
  return kernel;
}

Plan planned(const Kernel &kernel, const std::string &z) {
  Grid grid;
  grid.axes = {parseAxis("0.3"), parseAxis("-2:2:320"), parseAxis(z)};
  PlanOptions options;
  options.algorithm = FACET_DIRECT;
  options.klass = FACET_F32;
  options.target = "opencl";
  return {kernel, grid, makeMesh("torus"), options};
}
Plan planned(int streams) { return planned(library(streams), "0.1:2:320"); }

/// Calls of one stream follow each other, and the parts of a call.
void expectOrder(const Timeline &timeline) {
  std::array<double, Queues::most> ended{};
  for (const DeviceCall &call : timeline.calls) {
    EXPECT_TRUE(std::is_sorted(call.at.begin(), call.at.end()));
    EXPECT_GE(call.at[0], ended.at(call.stream)) << "stream " << call.stream;
    EXPECT_GT(call.at[2], call.at[1]) << "a kernel takes time";
    ended.at(call.stream) = call.at[3];
  }
}

TEST(Timelines, ShowCallsOfThreeStreamsAtWorkTogether) {
  const DeviceList &list = devicesHere(FACET_OPENCL);
  FACET_NEED_OPENCL(!list.devices.empty(), list.none);
  Plan plan = planned(3);
  plan.execute();
  EXPECT_TRUE(plan.run().recorder.timeline().calls.empty()) << "nothing is kept unasked";
  plan.run().recorder.switchOn(true);
  plan.execute();
  const Timeline timeline = plan.run().recorder.timeline();
  EXPECT_EQ(timeline.calls.size(), 25U) << "each call once";
  expectOrder(timeline);
  EXPECT_GE(overlapOf(timeline).most, 2);
  EXPECT_LE(overlapOf(timeline).most, 3);
  EXPECT_LT(plan.measure().error, 1e-5);
  plan.execute();
  EXPECT_EQ(plan.run().recorder.timeline().calls.size(), 25U) << "of the last execution";
}

TEST(Timelines, ShowCallsOfOneStreamOneByOne) {
  const DeviceList &list = devicesHere(FACET_OPENCL);
  FACET_NEED_OPENCL(!list.devices.empty(), list.none);
  Plan plan = planned(1);
  plan.run().recorder.switchOn(true);
  plan.execute();
  const Timeline timeline = plan.run().recorder.timeline();
  EXPECT_EQ(timeline.calls.size(), 25U);
  expectOrder(timeline);
  const Overlap overlap = overlapOf(timeline);
  EXPECT_EQ(overlap.most, 1);
  EXPECT_EQ(overlap.several, 0);
  EXPECT_LE(overlap.gain(), 1 + 1e-9);
}

/// Two threads make the first calls, the second while the first looks for the driver's functions:
/// it would call those that are not found yet.
TEST(FirstCalls, WaitUntilAllFunctionsAreFound) {
  const DeviceList &list = devicesHere(FACET_OPENCL);
  FACET_NEED_OPENCL(!list.devices.empty(), list.none);
  const Kernel kernel = library(1);
  Plan first = planned(kernel, "0.1"), second = planned(kernel, "0.1");
  looking = false;
  std::future<void> other = std::async(std::launch::async, [&second] {
    looking.wait(false);
    second.execute();
  });
  first.execute();
  EXPECT_TRUE(looking) << "the runtime has not looked in the program";
  looking = true;
  looking.notify_all();
  other.get();
  EXPECT_EQ(second.values(), first.values());
}

TEST(Overlaps, AreCountedFromTheIntervals) {
  // Uploads 0-1 and 1-2, kernels 1-3 and 2-4, downloads 3-4 and 4-5.
  const Overlap overlap = overlapOf({{{0, {0, 1, 3, 4}}, {1, {1, 2, 4, 5}}}});
  EXPECT_DOUBLE_EQ(overlap.seconds, 5);
  EXPECT_DOUBLE_EQ(overlap.parts, 8);
  EXPECT_DOUBLE_EQ(overlap.busy, 3);
  EXPECT_DOUBLE_EQ(overlap.gain(), 1.6);
  EXPECT_DOUBLE_EQ(overlap.several, 0.6);
  EXPECT_DOUBLE_EQ(overlap.hidden, 0.5) << "the upload of the second, the download of the first";
  EXPECT_EQ(overlap.most, 2);
}

TEST(Overlaps, AreNoneWhereCallsFollowEachOther) {
  const Overlap overlap = overlapOf({{{0, {0, 1, 2, 3}}, {1, {3, 4, 5, 6}}}});
  EXPECT_EQ(overlap.most, 1);
  EXPECT_EQ(overlap.several, 0);
  EXPECT_EQ(overlap.hidden, 0);
  EXPECT_DOUBLE_EQ(overlap.gain(), 1);
  EXPECT_DOUBLE_EQ(overlapOf({}).gain(), 1);
}

TEST(Recorders, ListenOnlyWhileTheyAreOn) {
  Recorder recorder;
  facet_device queue{};
  recorder.start();
  {
    const Recorder::Subscription listening(&recorder, queue, 2);
    EXPECT_EQ(queue.step, nullptr);
  }
  recorder.switchOn(true);
  {
    const Recorder::Subscription listening(&recorder, queue, 2);
    ASSERT_NE(queue.step, nullptr);
    for (int step = FACET_UPLOADS; step <= FACET_STEPS; ++step)
      queue.step(&queue, step);
  }
  EXPECT_EQ(queue.step, nullptr);
  ASSERT_EQ(recorder.timeline().calls.size(), 1U);
  EXPECT_EQ(recorder.timeline().calls[0].stream, 2);
}

} // namespace
} // namespace facet::test
