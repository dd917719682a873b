// driver.cpp - what a driver of CUDA computes with: memory, modules, launches. A module is PTX, and
// runs at once, interpreted. Devices and streams: tests/unit/run/device/fake_cuda.cpp.
//
// FAKE_CUDA_FAILS=cuMemAlloc_v2=2 makes that function return that error; =2@5 from its fifth call
// on. FAKE_CUDA_APPROXIMATION=-1 or 1: approximations err by all of their bounds, down or up.
// FAKE_CUDA_EDIT=2|REGEX|TO writes TO for the second match in a module's text; FAKE_CUDA_SHORTER=4:
// blocks have 4 bytes less of shared memory. What the interpreter finds is printed;
// facet_ptx_fault() returns it.
#include "instructions.h"
#include "launch.h"
#include "tests/support/edit.h"
#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <memory>
#include <mutex>

namespace {

using namespace facet::ptx;
using Pointer = std::uint64_t;
constexpr int invalidValue = 1, invalidPtx = 218, notFound = 500, launchFailed = 719;

struct Module {
  std::map<std::string, Kernel> kernels;
};
struct Function {
  const Kernel *kernel;
  int sharedBytes = 48 * 1024;
};

std::mutex one; // for all below
GlobalMemory memory;
Clock now;
std::vector<std::unique_ptr<Module>> modules;
std::vector<std::unique_ptr<Function>> functions;
std::string lastFault;

std::string variable(const char *name) {
  const char *text = std::getenv(name);
  return text == nullptr ? "" : text;
}

/// The error that the test asks this function for.
int asked(const char *name) {
  static std::atomic<int> calls = 0;
  const std::string text = variable("FAKE_CUDA_FAILS"), start = std::string(name) + "=";
  if (!text.starts_with(start))
    return 0;
  const std::size_t from = text.find('@');
  return from != std::string::npos && ++calls < std::stoi(text.substr(from + 1))
             ? 0
             : std::stoi(text.substr(start.size()));
}

/// Does something of the device; returns `code` if a fault is found.
template <class Action> int checked(int code, Action action) {
  const std::lock_guard<std::mutex> lock(one);
  try {
    action();
    return 0;
  } catch (const std::runtime_error &fault) {
    lastFault = fault.what();
    std::fprintf(stderr, "ptx: %s\n", lastFault.c_str());
    return code;
  }
}

int number(const char *name) {
  const std::string text = variable(name);
  return text.empty() ? 0 : std::stoi(text);
}

/// Limits of compute capability 8.0 and 9.0 (CUDA C++ Programming Guide, technical specifications).
void mustFit(const Launch &launch, const Function &function) {
  const auto product = [](const Extent &e) { return std::uint64_t{e[0]} * e[1] * e[2]; };
  if (product(launch.block) == 0 || product(launch.block) > 1024 || launch.block[2] > 64)
    throw Fault("a block of too many threads, or none");
  if (product(launch.grid) == 0 || launch.grid[0] > 0x7FFFFFFF || launch.grid[1] > 0xFFFF ||
      launch.grid[2] > 0xFFFF)
    throw Fault("a grid of too many blocks, or none");
  if (launch.sharedBytes > static_cast<unsigned>(function.sharedBytes))
    throw Fault("more shared memory than the function may have");
}

} // namespace

extern "C" {
const char *facet_ptx_fault() { return lastFault.c_str(); }

int cuMemAlloc_v2(Pointer *made, std::size_t bytes) {
  const int failed = asked("cuMemAlloc_v2");
  return failed != 0 ? failed : checked(invalidValue, [&] { *made = memory.allocate(bytes); });
}
int cuMemFree_v2(Pointer pointer) {
  return checked(invalidValue, [&] { memory.free(pointer); });
}
int cuMemcpyHtoDAsync_v2(Pointer to, const void *from, std::size_t bytes, void *) {
  const int failed = checked(invalidValue, [&] { memory.of(to).upload(to, from, bytes); });
  return failed != 0 ? failed : asked("cuMemcpyHtoDAsync_v2");
}
int cuMemcpyDtoHAsync_v2(void *to, Pointer from, std::size_t bytes, void *) {
  const int failed = checked(invalidValue, [&] { memory.of(from).download(from, to, bytes); });
  return failed != 0 ? failed : asked("cuMemcpyDtoHAsync_v2");
}
int cuMemcpyHtoD_v2(Pointer to, const void *from, std::size_t bytes) {
  return cuMemcpyHtoDAsync_v2(to, from, bytes, nullptr);
}
int cuMemcpyDtoH_v2(void *to, Pointer from, std::size_t bytes) {
  return cuMemcpyDtoHAsync_v2(to, from, bytes, nullptr);
}

int cuModuleLoadData(void **module, const void *image) {
  const int failed = checked(invalidPtx, [&] {
    auto made = std::make_unique<Module>();
    made->kernels =
        parse(facet::test::edited(static_cast<const char *>(image), variable("FAKE_CUDA_EDIT")));
    *module = made.get();
    modules.push_back(std::move(made));
  });
  return failed != 0 ? failed : asked("cuModuleLoadData");
}
/// Refused: Halide's runtime bounds registers by it, where libraries are to leave them to the
/// driver.
int cuModuleLoadDataEx(void **, const void *, unsigned, void *, void **) {
  return checked(invalidPtx, [] {
    throw std::runtime_error(
        "cuModuleLoadDataEx: a module is loaded with a bound on its registers");
  });
}
int cuModuleUnload(void *) { return 0; } // functions of it may be known still
int cuModuleGetFunction(void **made, void *module, const char *name) {
  const auto &kernels = static_cast<Module *>(module)->kernels;
  const auto found = kernels.find(name);
  if (found == kernels.end())
    return notFound;
  const std::lock_guard<std::mutex> lock(one);
  functions.push_back(std::make_unique<Function>(Function{&found->second}));
  *made = functions.back().get();
  return 0;
}
int cuFuncSetAttribute(void *function, int attribute, int value) {
  constexpr int sharedLimit = 8, mostShared = 163 * 1024; // CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_..
  if (attribute != sharedLimit || value > mostShared)
    return invalidValue;
  static_cast<Function *>(function)->sharedBytes = value;
  return 0;
}
int cuLaunchKernel(void *function, unsigned gridX, unsigned gridY, unsigned gridZ, unsigned blockX,
                   unsigned blockY, unsigned blockZ, unsigned sharedBytes, void *stream,
                   void **arguments, void **) {
  if (stream == nullptr)
    return invalidValue;
  const int failed = checked(launchFailed, [&] {
    const auto *known = static_cast<Function *>(function);
    const auto missing = std::min(sharedBytes, static_cast<unsigned>(number("FAKE_CUDA_SHORTER")));
    const Launch launch{
        {gridX, gridY, gridZ}, {blockX, blockY, blockZ}, sharedBytes - missing, arguments};
    mustFit(launch, *known);
    setApproximation(number("FAKE_CUDA_APPROXIMATION"));
    run(*known->kernel, launch, memory, now);
  });
  return failed != 0 ? failed : asked("cuLaunchKernel");
}

// Halide's runtime looks for these too; it calls none of them here.
#define NOT_HERE(name)                                                                             \
  int name() { return notFound; }
NOT_HERE(cuCtxCreate_v2)
NOT_HERE(cuCtxDestroy_v2)
NOT_HERE(cuCtxGetApiVersion)
NOT_HERE(cuCtxGetDevice)
NOT_HERE(cuCtxSynchronize)
NOT_HERE(cuMemcpy3D_v2)
NOT_HERE(cuMemcpyDtoDAsync_v2)
NOT_HERE(cuMemcpyDtoD_v2)
NOT_HERE(cuPointerGetAttribute)
NOT_HERE(cuProfilerStop)
}
