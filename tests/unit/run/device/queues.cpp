// queues.cpp - queues of one device: their context, their staging memory, a device that is lost.
#include "../refusal.h"
#include "environment.h"
#include "runtime/engine/device/device.h"
#include "tests/support/opencl.h"
#include <cstring>
#include <gtest/gtest.h>
#include <thread>
#include <vector>

namespace facet::test {
namespace {

using namespace facet::runtime;

void *stage(DeviceQueue &queue, int slot, std::int64_t bytes) {
  return queue.get()->staging(queue.get(), slot, bytes);
}

/// OpenCL on whatever is here, PoCL at least, and CUDA on the fake driver.
class Queues : public testing::TestWithParam<const char *> {
protected:
  void SetUp() override {
    const DeviceList &list = devicesHere(FACET_OPENCL);
    if (std::strcmp(GetParam(), "opencl") == 0)
      FACET_NEED_OPENCL(!list.devices.empty(), list.none);
  }
};
INSTANTIATE_TEST_SUITE_P(Interfaces, Queues, testing::Values("opencl", "cuda-sm_80"),
                         [](const auto &info) {
                           return std::strcmp(info.param, "opencl") == 0 ? "opencl" : "cuda";
                         });

TEST_P(Queues, ShareTheContextOfTheDevice) {
  Device &device = Device::open(GetParam());
  EXPECT_EQ(&device, &Device::open(GetParam()));
  DeviceQueue one(device), two(device);
  EXPECT_NE(one.get()->context, nullptr);
  EXPECT_EQ(one.get()->context, two.get()->context);
  EXPECT_NE(one.get()->queue, two.get()->queue);
  EXPECT_EQ(one.get()->interface_, device.info().interface_);
}

TEST_P(Queues, KeepDifferentStagingMemoryInEachSlot) {
  Device &device = Device::open(GetParam());
  DeviceQueue one(device), two(device);
  std::vector<unsigned char *> slots;
  constexpr std::int64_t bytes = 5000;
  for (DeviceQueue *queue : {&one, &two})
    for (int slot = 0; slot < 4; ++slot) {
      slots.push_back(static_cast<unsigned char *>(stage(*queue, slot, bytes)));
      ASSERT_NE(slots.back(), nullptr);
      std::memset(slots.back(), static_cast<int>(slots.size()), bytes);
    }
  for (std::size_t k = 0; k < slots.size(); ++k) {
    EXPECT_EQ(slots[k][0], k + 1);
    EXPECT_EQ(slots[k][bytes - 1], k + 1);
  }
  EXPECT_EQ(stage(two, 3, bytes), slots.back()) << "the same size again";
  EXPECT_EQ(stage(two, 3, 1), slots.back()) << "a smaller one";
  auto *larger = static_cast<unsigned char *>(stage(two, 3, 100 * bytes));
  ASSERT_NE(larger, nullptr);
  std::memset(larger, 0, 100 * bytes);
  EXPECT_EQ(slots[6][bytes - 1], 7) << "its neighbour is untouched";
}

TEST_P(Queues, HaveNoOtherSlots) {
  DeviceQueue queue(Device::open(GetParam()));
  for (const int slot : {-1, 4})
    EXPECT_EQ(stage(queue, slot, 8), nullptr);
  EXPECT_EQ(stage(queue, 0, -1), nullptr);
}

TEST_P(Queues, MoveWithTheirMemory) {
  DeviceQueue first(Device::open(GetParam()));
  facet_device *device = first.get();
  void *memory = stage(first, 0, 8);
  DeviceQueue second = std::move(first);
  EXPECT_EQ(second.get(), device);
  EXPECT_EQ(stage(second, 0, 8), memory);
}

TEST_P(Queues, AreMadeByManyThreadsAtOnce) {
  std::vector<std::thread> threads;
  std::vector<void *> contexts(4);
  threads.reserve(contexts.size());
  for (void *&context : contexts)
    threads.emplace_back([&context] {
      DeviceQueue queue(Device::open(GetParam()));
      if (stage(queue, 0, 64) != nullptr && queue.lost().empty())
        context = queue.get()->context;
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_NE(contexts[0], nullptr);
  EXPECT_EQ(contexts, std::vector<void *>(4, contexts[0]));
}

TEST(Devices, TellTheirFreeMemory) {
  const DeviceList &list = devicesHere(FACET_OPENCL);
  FACET_NEED_OPENCL(!list.devices.empty(), list.none);
  EXPECT_EQ(Device::open("cuda-sm_80").freeMemory(), std::int64_t{1} << 36);
  const Device &opencl = Device::open("opencl");
  EXPECT_EQ(opencl.freeMemory(), opencl.info().memory) << "OpenCL does not tell";
}

TEST(Devices, SayThatTheyAreLost) {
  DeviceQueue queue(Device::open("cuda-sm_80"));
  EXPECT_EQ(queue.lost(), "");
  const Environment lost("FAKE_CUDA_LOST", "1");
  EXPECT_EQ(queue.lost(), "CUDA_ERROR_LAUNCH_FAILED: words of the driver");
}

TEST(Devices, AreNotOpenedForTargetsOfCpus) {
  EXPECT_HAS(refusal([] { Device::open("avx2"); }), "it is not of a device");
}

} // namespace
} // namespace facet::test
