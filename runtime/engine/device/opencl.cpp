// opencl.cpp - devices of OpenCL: platforms, contexts, command queues.
#include "runtime/engine/device/driver.h"
#include <algorithm>
#include <cstdlib>
#include <map>
#include <stdexcept>

namespace facet::runtime {
namespace {

const char *const install = "install OpenCL's loader and a driver of your device; on Debian, for "
                            "CPUs: apt install ocl-icd-libopencl1 pocl-opencl-icd";

using Status = std::int32_t; // cl_int
using Platform = void *;
using DeviceId = void *;
using Context = void *;
using Queue = void *;

constexpr Status Success = 0, DeviceNotFound = -1, PlatformNotFound = -1001;
constexpr std::uint64_t AllDevices = 0xFFFFFFFF, TypeGpu = 4; // CL_DEVICE_TYPE_ALL, _GPU
constexpr std::uint32_t PlatformName = 0x0902;
constexpr std::uint32_t MaxWorkGroupSize = 0x1004, LocalMemSize = 0x1023, DriverVersion = 0x102D;
constexpr std::uint32_t DeviceType = 0x1000, MaxMemAllocSize = 0x1010, GlobalMemSize = 0x101F,
                        DeviceName = 0x102B, DeviceVersion = 0x102F, DoubleFpConfig = 0x1032;

struct Functions : DriverLibrary {
  using DriverLibrary::DriverLibrary;
  Status (*getPlatformIDs)(std::uint32_t entries, Platform *platforms,
                           std::uint32_t *count) = find("clGetPlatformIDs");
  Status (*getPlatformInfo)(Platform platform, std::uint32_t what, std::size_t size, void *value,
                            std::size_t *needed) = find("clGetPlatformInfo");
  Status (*getDeviceIDs)(Platform platform, std::uint64_t type, std::uint32_t entries,
                         DeviceId *devices, std::uint32_t *count) = find("clGetDeviceIDs");
  Status (*getDeviceInfo)(DeviceId device, std::uint32_t what, std::size_t size, void *value,
                          std::size_t *needed) = find("clGetDeviceInfo");
  Context (*createContext)(const std::intptr_t *properties, std::uint32_t count,
                           const DeviceId *devices,
                           void (*notify)(const char *, const void *, std::size_t, void *),
                           void *data, Status *status) = find("clCreateContext");
  Queue (*createCommandQueue)(Context context, DeviceId device, std::uint64_t properties,
                              Status *status) = find("clCreateCommandQueue");
  Status (*releaseCommandQueue)(Queue queue) = find("clReleaseCommandQueue");
  Status (*finish)(Queue queue) = find("clFinish");
};

/// The names of the specification for what can happen here.
std::string words(Status status) {
  static const std::map<Status, std::string> names{{-1, "CL_DEVICE_NOT_FOUND"},
                                                   {-2, "CL_DEVICE_NOT_AVAILABLE"},
                                                   {-5, "CL_OUT_OF_RESOURCES"},
                                                   {-6, "CL_OUT_OF_HOST_MEMORY"},
                                                   {-36, "CL_INVALID_COMMAND_QUEUE"}};
  const auto known = names.find(status);
  return known != names.end() ? known->second : "error " + std::to_string(status);
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
    const std::string result = failed == Success ? value : words(failed);
    return result.substr(0, result.find_last_not_of(' ') + 1);
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
  const Functions f(path.empty() ? "libOpenCL.so.1" : path);
  why = {{}, f.problem().empty() ? "" : "OpenCL's loader " + f.problem(), install};
  return f.problem().empty() ? std::make_unique<OpenclDriver>(f) : nullptr;
}

} // namespace facet::runtime
