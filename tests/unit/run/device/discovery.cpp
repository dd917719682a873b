// discovery.cpp - devices that are here, and the reasons if there is none.
#include "../refusal.h"
#include "environment.h"
#include "runtime/engine/device/driver.h"
#include "runtime/engine/kernel/inside.h"
#include "tests/support/opencl.h"
#include <facet/runtime/kernel.h>

namespace facet::test {
namespace {

using namespace facet::runtime;

// Before anything asks for a device: CUDA's driver is the fake one with two devices.
[[maybe_unused]] const int fakeDriver = setenv("FACET_CUDA_LIBRARY", FAKE_TWO, 1);

const Target &target(const std::string &name) {
  for (const Target &t : targets())
    if (t.name == name)
      return t;
  throw Error(name, "no such target");
}

TEST(Discovery, SaysThatALibraryIsMissing) {
  for (const facet_interface i : {FACET_OPENCL, FACET_CUDA}) {
    const Discovery found = discover(i, "/nonexistent/driver.so");
    EXPECT_EQ(found.driver, nullptr);
    EXPECT_HAS(found.list.none, "cannot be opened (/nonexistent/driver.so");
    EXPECT_HAS(found.list.help, "install");
  }
}

TEST(Discovery, SaysThatALibraryIsNoDriver) {
  EXPECT_HAS(discover(FACET_CUDA, "libc.so.6").list.none, "has no cuInit");
  EXPECT_HAS(discover(FACET_OPENCL, "libc.so.6").list.none, "has no clGetPlatformIDs");
}

TEST(Discovery, SaysWhatTheDriverSays) {
  EXPECT_EQ(discover(FACET_CUDA, FAKE_NONE).list.none, "the driver has no device");
  EXPECT_EQ(discover(FACET_CUDA, FAKE_BROKEN).list.none,
            "the driver says CUDA_ERROR_UNKNOWN: words of the driver");
}

TEST(Discovery, DescribesDevicesOfCuda) {
  const Discovery found = discover(FACET_CUDA, FAKE_TWO);
  ASSERT_EQ(found.list.devices.size(), 2U);
  const DeviceInfo &device = found.list.devices[0];
  EXPECT_EQ(device.id() + " " + device.name, "cuda:0 Fake H200");
  EXPECT_EQ(device.version, "compute capability 9.0");
  EXPECT_EQ(device.memory, std::int64_t{1} << 37);
  EXPECT_TRUE(device.doubles && device.gpu);
  EXPECT_EQ(found.list.devices[1].capability, 80);
  EXPECT_EQ(device.driver, "CUDA 12.4");
  EXPECT_EQ(device.blockThreads, 1024);
  EXPECT_EQ(device.sharedBytes, 49152);
}

TEST(Discovery, DescribesDevicesOfOpencl) {
  const DeviceList &list = devicesHere(FACET_OPENCL);
  FACET_NEED_OPENCL(!list.devices.empty(), list.none);
  for (const DeviceInfo &device : list.devices) {
    EXPECT_FALSE(device.name.empty());
    EXPECT_HAS(device.version, "OpenCL ");
    EXPECT_FALSE(device.driver.empty());
    EXPECT_GT(device.blockThreads, 0);
    EXPECT_GT(device.sharedBytes, 0);
    EXPECT_GT(device.largestBuffer, 0);
    EXPECT_LE(device.largestBuffer, device.memory);
  }
}

TEST(FacetDevice, TakesADevice) {
  const DeviceList &list = devicesHere(FACET_OPENCL);
  FACET_NEED_OPENCL(!list.devices.empty(), list.none);
  EXPECT_EQ(chosenDevice(FACET_CUDA)->index, 0);
  const Environment second("FACET_DEVICE", "cuda:1");
  EXPECT_EQ(chosenDevice(FACET_CUDA)->index, 1);
  EXPECT_EQ(chosenDevice(FACET_OPENCL)->index, 0) << "of another interface";
}

TEST(FacetDevice, RefusesWhatIsNotHere) {
  const Environment third("FACET_DEVICE", "cuda:2");
  const std::string said = refusal([] { chosenDevice(FACET_CUDA); });
  EXPECT_HAS(said, "FACET_DEVICE=cuda:2: no such device");
  EXPECT_HAS(said, "here: cuda:0 Fake H200, cuda:1 Fake A100");
}

TEST(FacetDevice, RefusesWhatIsNoDevice) {
  for (const char *text : {"gpu:0", "cuda:", "cuda:one", "cuda:-1"}) {
    const Environment wrong("FACET_DEVICE", text);
    EXPECT_HAS(refusal([] { chosenDevice(FACET_CUDA); }), "it is like opencl:0") << text;
  }
}

TEST(DeviceTargets, NeedTheCapabilityOfTheirName) {
  EXPECT_EQ(whyNot(target("cuda-sm_86")), "");
  const Environment second("FACET_DEVICE", "cuda:1");
  EXPECT_EQ(whyNot(target("cuda-sm_80")), "");
  EXPECT_EQ(whyNot(target("cuda-sm_86")),
            "cuda:1 (Fake A100) has compute capability 8.0, it needs 8.6");
}

TEST(DeviceTargets, CudaIsTheBestThatTheDeviceRuns) {
  EXPECT_EQ(forcedTarget("cuda"), "cuda-sm_86");
  const Environment second("FACET_DEVICE", "cuda:1");
  EXPECT_EQ(forcedTarget("cuda"), "cuda-sm_80");
}

TEST(DeviceTargets, OfALibraryAreTheDevicesBestAndThisCpus) {
  const std::string cpu = "," + bestTarget();
  ASSERT_EQ(chosenDevice(FACET_CUDA)->index, 0);
  EXPECT_EQ(buildTargets("cuda"), "cuda-sm_86" + cpu);
  EXPECT_EQ(buildTargets("opencl"), "opencl" + cpu);
  EXPECT_EQ(buildTargets("auto"), "cuda-sm_86" + cpu);
  EXPECT_EQ(buildTargets("opencl,cuda"), "opencl" + cpu + ",cuda-sm_86");
  EXPECT_EQ(buildTargets("sse41,avx2"), "sse41,avx2");
  EXPECT_EQ(buildTargets(""), "") << "all";
  const Environment second("FACET_DEVICE", "cuda:1");
  EXPECT_EQ(buildTargets("cuda"), "cuda-sm_80" + cpu);
}

TEST(DeviceTargets, AutoIsAGpuOrTheDeviceThatIsNamed) {
  const DeviceList &list = devicesHere(FACET_OPENCL);
  FACET_NEED_OPENCL(!list.devices.empty(), list.none);
  EXPECT_EQ(forcedTarget("auto"), "cuda-sm_86");
  EXPECT_EQ(targetRemark("auto"), "");
  const Environment named("FACET_DEVICE", "opencl:0");
  EXPECT_EQ(forcedTarget("auto"), "opencl");
}

TEST(DeviceTargets, AnyIsTheCpusAndOneOfEachInterface) {
  const DeviceList &list = devicesHere(FACET_OPENCL);
  FACET_NEED_OPENCL(!list.devices.empty(), list.none);
  const std::vector<std::string> all{bestTarget(), "cuda-sm_86", "opencl"};
  EXPECT_EQ(targetsFor("any"), all);
  EXPECT_EQ(buildTargets("any"), all[0] + ",cuda-sm_86,opencl");
  EXPECT_EQ(forcedTarget("any"), bestTarget()) << "what cannot weigh takes the CPU";
  EXPECT_EQ(targetRemark("any"), "");
  EXPECT_EQ(targetsFor(""), std::vector{bestTarget()});
  EXPECT_EQ(targetsFor("cuda"), std::vector<std::string>{"cuda-sm_86"});
  const Environment second("FACET_DEVICE", "cuda:1");
  EXPECT_EQ(targetsFor("any")[1], "cuda-sm_80");
}

TEST(DeviceTargets, AreNeverTakenUnasked) {
  EXPECT_FALSE(isDeviceTarget(bestTarget()));
  EXPECT_FALSE(isDeviceTarget("cuda"));
  EXPECT_TRUE(isDeviceTarget("cuda-sm_80"));
}

} // namespace
} // namespace facet::test
