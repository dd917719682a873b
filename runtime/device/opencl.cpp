// opencl.cpp - devices of OpenCL: platforms, contexts, command queues.
#include "runtime/device/opencl.h"
#include "runtime/device/driver.h"
#include "runtime/device/library.h"
#include <algorithm>
#include <cstdlib>
#include <stdexcept>

namespace facet::runtime {
namespace {

using namespace opencl;

const char *const install = "install OpenCL's loader and a driver of your device; on Debian, for "
                            "CPUs: apt install ocl-icd-libopencl1 pocl-opencl-icd";

void findAll(DriverLibrary &library, Functions &f) {
  library.find(f.getPlatformIDs, "clGetPlatformIDs");
  library.find(f.getPlatformInfo, "clGetPlatformInfo");
  library.find(f.getDeviceIDs, "clGetDeviceIDs");
  library.find(f.getDeviceInfo, "clGetDeviceInfo");
  library.find(f.createContext, "clCreateContext");
  library.find(f.releaseContext, "clReleaseContext");
  library.find(f.createCommandQueue, "clCreateCommandQueue");
  library.find(f.releaseCommandQueue, "clReleaseCommandQueue");
  library.find(f.finish, "clFinish");
}

/// The names of the specification for what can happen here.
std::string words(Status status) {
  switch (status) {
  case -1:
    return "CL_DEVICE_NOT_FOUND";
  case -2:
    return "CL_DEVICE_NOT_AVAILABLE";
  case -5:
    return "CL_OUT_OF_RESOURCES";
  case -6:
    return "CL_OUT_OF_HOST_MEMORY";
  case -36:
    return "CL_INVALID_COMMAND_QUEUE";
  default:
    return "error " + std::to_string(status);
  }
}

class OpenclDriver final : public Driver {
public:
  explicit OpenclDriver(const Functions &functions) : f(functions) {}

  DeviceList list() override {
    DeviceList result{{}, "", install};
    ids_.clear();
    std::uint32_t count = 0;
    const Status failed = f.getPlatformIDs(0, nullptr, &count);
    if (failed != Success || count == 0) {
      result.none = failed == Success || failed == PlatformNotFound
                        ? "OpenCL's loader finds no driver (no platform)"
                        : "OpenCL's loader says " + words(failed);
      return result;
    }
    std::vector<Platform> platforms(count);
    f.getPlatformIDs(count, platforms.data(), nullptr);
    for (Platform platform : platforms)
      addDevices(platform, result);
    if (!result.devices.empty())
      result.none.clear();
    return result;
  }

  void *openContext(int index) override {
    Status status = Success;
    const DeviceId device = ids_.at(static_cast<std::size_t>(index));
    void *context = f.createContext(nullptr, 1, &device, nullptr, nullptr, &status);
    check(status);
    return context;
  }
  void closeContext(int, void *context) noexcept override { f.releaseContext(context); }
  void *openQueue(int index, void *context) override {
    Status status = Success;
    void *queue =
        f.createCommandQueue(context, ids_.at(static_cast<std::size_t>(index)), 0, &status);
    check(status);
    return queue;
  }
  void closeQueue(void *, void *queue) noexcept override {
    f.finish(queue);
    f.releaseCommandQueue(queue);
  }
  // Whole pages: drivers that share memory with the host use such memory in place.
  void *allocate(void *, std::int64_t bytes) noexcept override {
    constexpr std::size_t page = 4096;
    return std::aligned_alloc(page, (static_cast<std::size_t>(bytes) + page - 1) / page * page);
  }
  void release(void *, void *memory) noexcept override { std::free(memory); }
  std::int64_t freeMemory(void *) noexcept override { return -1; }
  std::string wait(void *, void *queue) noexcept override {
    const Status status = f.finish(queue);
    return status == Success ? "" : words(status);
  }

private:
  static void check(Status status) {
    if (status != Success)
      throw std::runtime_error(words(status));
  }

  void addDevices(Platform platform, DeviceList &result) {
    char name[256] = "";
    f.getPlatformInfo(platform, PlatformName, sizeof name - 1, name, nullptr);
    std::uint32_t count = 0;
    const Status failed = f.getDeviceIDs(platform, AllDevices, 0, nullptr, &count);
    if (failed != Success || count == 0) {
      result.none += (result.none.empty() ? "" : "; ") + std::string("the driver '") + name +
                     "' has no device (" + words(failed == Success ? DeviceNotFound : failed) + ")";
      return;
    }
    std::vector<DeviceId> devices(count);
    f.getDeviceIDs(platform, AllDevices, count, devices.data(), nullptr);
    for (DeviceId device : devices) {
      result.devices.push_back(describe(device, static_cast<int>(ids_.size())));
      ids_.push_back(device);
    }
  }

  DeviceInfo describe(DeviceId device, int index) const {
    DeviceInfo info;
    info.interface_ = FACET_OPENCL;
    info.index = index;
    info.name = text(device, DeviceName);
    info.version = text(device, DeviceVersion);
    info.memory = static_cast<std::int64_t>(number(device, GlobalMemSize));
    info.largestBuffer = static_cast<std::int64_t>(number(device, MaxMemAllocSize));
    info.driver = text(device, DriverVersion);
    info.doubles = number(device, DoubleFpConfig) != 0;
    constexpr std::uint64_t most = 1 << 30;
    info.blockThreads = static_cast<int>(std::min(number(device, MaxWorkGroupSize), most));
    info.sharedBytes = static_cast<int>(std::min(number(device, LocalMemSize), most));
    info.gpu = (number(device, DeviceType) & TypeGpu) != 0;
    return info;
  }
  std::string text(DeviceId device, std::uint32_t what) const {
    char value[512] = "";
    const Status failed = f.getDeviceInfo(device, what, sizeof value - 1, value, nullptr);
    std::string result = failed == Success ? value : words(failed);
    while (!result.empty() && result.back() == ' ')
      result.pop_back();
    return result;
  }
  std::uint64_t number(DeviceId device, std::uint32_t what) const {
    std::uint64_t value = 0;
    return f.getDeviceInfo(device, what, sizeof value, &value, nullptr) == Success ? value : 0;
  }

  Functions f;
  std::vector<DeviceId> ids_; // by index
};

} // namespace

std::unique_ptr<Driver> openOpencl(const std::string &path, DeviceList &why) {
  DriverLibrary library(path.empty() ? "libOpenCL.so.1" : path);
  Functions functions{};
  findAll(library, functions);
  why = {{}, library.problem().empty() ? "" : "OpenCL's loader " + library.problem(), install};
  if (!library.problem().empty())
    return nullptr;
  return std::make_unique<OpenclDriver>(functions);
}

} // namespace facet::runtime
