// cuda.cpp - devices of NVIDIA through CUDA's driver: primary contexts, streams, pinned memory.
#include "runtime/engine/device/driver.h"
#include <cstdlib>
#include <stdexcept>
#include <utility>

namespace facet::runtime {
namespace {

const char *const install = "install NVIDIA's driver (nvidia-smi lists its devices); without such "
                            "a device --target=auto takes what is here";

using Result = int; // CUresult
using DeviceId = int;
using Context = void *;
using Stream = void *;

constexpr Result Success = 0, NoDevice = 100;
constexpr int CapabilityMajor = 75, CapabilityMinor = 76; // CU_DEVICE_ATTRIBUTE_COMPUTE_..
constexpr int BlockThreads = 1, SharedBytes = 8, BlockRegisters = 12; // .._MAX_.._PER_BLOCK
constexpr unsigned Portable = 1;                                      // CU_MEMHOSTALLOC_PORTABLE
constexpr unsigned NonBlocking = 1;                                   // CU_STREAM_NON_BLOCKING

/// Functions by their names in libcuda: those with a second version take the second.
struct Functions : DriverLibrary {
  using DriverLibrary::DriverLibrary;
  Result (*init)(unsigned flags) = find("cuInit");
  Result (*deviceGetCount)(int *count) = find("cuDeviceGetCount");
  Result (*deviceGet)(DeviceId *device, int ordinal) = find("cuDeviceGet");
  Result (*deviceGetName)(char *name, int length, DeviceId device) = find("cuDeviceGetName");
  Result (*deviceTotalMem)(std::size_t *bytes, DeviceId device) = find("cuDeviceTotalMem_v2");
  Result (*deviceGetAttribute)(int *value, int attribute,
                               DeviceId device) = find("cuDeviceGetAttribute");
  Result (*driverGetVersion)(int *version) = find("cuDriverGetVersion");
  Result (*primaryCtxRetain)(Context *context, DeviceId device) = find("cuDevicePrimaryCtxRetain");
  Result (*ctxPushCurrent)(Context context) = find("cuCtxPushCurrent_v2");
  Result (*ctxPopCurrent)(Context *context) = find("cuCtxPopCurrent_v2");
  Result (*memGetInfo)(std::size_t *free, std::size_t *total) = find("cuMemGetInfo_v2");
  Result (*memHostAlloc)(void **memory, std::size_t bytes, unsigned flags) = find("cuMemHostAlloc");
  Result (*memFreeHost)(void *memory) = find("cuMemFreeHost");
  Result (*streamCreate)(Stream *stream, unsigned flags) = find("cuStreamCreate");
  Result (*streamDestroy)(Stream stream) = find("cuStreamDestroy_v2");
  Result (*streamSynchronize)(Stream stream) = find("cuStreamSynchronize");
  Result (*getErrorName)(Result error, const char **name) = find("cuGetErrorName");
  Result (*getErrorString)(Result error, const char **text) = find("cuGetErrorString");
};

class CudaDriver final : public Driver {
public:
  explicit CudaDriver(const Functions &functions) : f(functions) {}

  DeviceList list() override {
    DeviceList result{{}, "", install};
    int count = 0;
    Result failed = f.init(0);
    if (failed == Success)
      failed = f.deviceGetCount(&count);
    if (failed != Success || count == 0) {
      result.none = failed == NoDevice || failed == Success ? "the driver has no device"
                                                            : "the driver says " + words(failed);
      return result;
    }
    for (int index = 0; index < count; ++index)
      if (const DeviceInfo info = describe(index); !info.name.empty())
        result.devices.push_back(info);
    if (result.devices.empty())
      result.none = "the driver does not describe its device";
    return result;
  }

  void *openContext(int index) override {
    DeviceId device = 0;
    Context context = nullptr;
    check(f.deviceGet(&device, index));
    check(f.primaryCtxRetain(&context, device));
    return context;
  }
  void *openQueue(int, void *context) override {
    const Current current(f, context);
    check(current.failed);
    Stream stream = nullptr;
    check(f.streamCreate(&stream, NonBlocking));
    return stream;
  }
  void closeQueue(void *context, void *queue) noexcept override {
    const Current current(f, context);
    f.streamSynchronize(queue);
    f.streamDestroy(queue);
  }
  void *allocate(void *context, std::int64_t bytes) noexcept override {
    const Current current(f, context);
    void *memory = nullptr;
    const bool good = current.failed == Success &&
                      f.memHostAlloc(&memory, static_cast<std::size_t>(bytes), Portable) == Success;
    return good ? memory : nullptr;
  }
  void release(void *context, void *memory) noexcept override {
    const Current current(f, context);
    f.memFreeHost(memory);
  }
  std::int64_t freeMemory(void *context) noexcept override {
    const Current current(f, context);
    std::size_t free = 0, total = 0;
    return f.memGetInfo(&free, &total) == Success ? static_cast<std::int64_t>(free) : -1;
  }
  std::string wait(void *context, void *queue) noexcept override {
    const Current current(f, context);
    const Result failed = current.failed != Success ? current.failed : f.streamSynchronize(queue);
    return failed == Success ? "" : words(failed);
  }

private:
  /// The context is this thread's while it lives.
  struct Current {
    Current(const Functions &functions, Context context)
        : f(functions), failed(f.ctxPushCurrent(context)) {}
    ~Current() {
      Context old = nullptr;
      if (failed == Success)
        f.ctxPopCurrent(&old);
    }
    Current(Current &&) = delete;
    const Functions &f;
    Result failed;
  };

  std::string words(Result error) const {
    const char *name = nullptr, *text = nullptr;
    f.getErrorName(error, &name);
    f.getErrorString(error, &text);
    return (name != nullptr ? name : "error " + std::to_string(error)) +
           (text != nullptr ? ": " + std::string(text) : "");
  }
  void check(Result error) const {
    if (error != Success)
      throw std::runtime_error(words(error));
  }

  /// Without a name if the driver fails.
  DeviceInfo describe(int index) const {
    DeviceInfo info;
    info.interface_ = FACET_CUDA;
    info.index = index;
    DeviceId device = 0;
    char name[256] = "";
    std::size_t bytes = 0;
    int major = 0, minor = 0;
    if (f.deviceGet(&device, index) != Success ||
        f.deviceGetName(name, sizeof name, device) != Success ||
        f.deviceTotalMem(&bytes, device) != Success ||
        f.deviceGetAttribute(&major, CapabilityMajor, device) != Success ||
        f.deviceGetAttribute(&minor, CapabilityMinor, device) != Success)
      return info;
    info.name = name;
    info.version = "compute capability " + std::to_string(major) + "." + std::to_string(minor);
    info.memory = info.largestBuffer = static_cast<std::int64_t>(bytes);
    info.capability = 10 * major + minor;
    info.doubles = info.gpu = true;
    int driver = 0; // 12040 is 12.4
    if (f.driverGetVersion(&driver) == Success)
      info.driver =
          "CUDA " + std::to_string(driver / 1000) + "." + std::to_string(driver % 1000 / 10);
    for (const auto &[to, attribute] : {std::pair{&info.blockThreads, BlockThreads},
                                        {&info.sharedBytes, SharedBytes},
                                        {&info.blockRegisters, BlockRegisters}})
      if (f.deviceGetAttribute(to, attribute, device) != Success)
        *to = 0;
    return info;
  }

  Functions f;
};

} // namespace

std::unique_ptr<Driver> openCuda(const std::string &path, DeviceList &why) {
  const Functions f(path.empty() ? "libcuda.so.1" : path);
  why = {{}, f.problem().empty() ? "" : "CUDA's driver " + f.problem(), install};
  return f.problem().empty() ? std::make_unique<CudaDriver>(f) : nullptr;
}

} // namespace facet::runtime
