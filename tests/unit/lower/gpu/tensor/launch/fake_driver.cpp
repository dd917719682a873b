// fake_driver.cpp - what a driver of CUDA computes with: memory, modules, launches. A module is a
// shared object of fake_nvcc.sh, and runs at once. Devices and streams:
// tests/unit/run/device/fake_cuda.cpp.
//
// FAKE_CUDA_FAILS=cuMemAlloc_v2=2 makes that function return that error; =2@5 from its fifth call
// on.
#include "arguments.h"
#include <atomic>
#include <cstring>
#include <dlfcn.h>
#include <elf.h>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <string>
#include <unistd.h>

namespace {

using Pointer = std::uint64_t;
constexpr int invalidValue = 1, notFound = 500;

struct Function {
  void (*launch)(int x, int y, int threads, void **arguments);
  int sharedBytes = 48 * 1024;
};

/// The error that the test asks this function for.
int asked(const char *name) {
  static std::atomic<int> calls = 0;
  const char *text = std::getenv("FAKE_CUDA_FAILS");
  const std::size_t length = std::strlen(name);
  if (text == nullptr || std::strncmp(text, name, length) != 0 || text[length] != '=')
    return 0;
  const char *from = std::strchr(text, '@');
  return from != nullptr && ++calls < std::atoi(from + 1) ? 0 : std::atoi(text + length + 1);
}

} // namespace

extern "C" {
int cuMemAlloc_v2(Pointer *made, std::size_t bytes) {
  *made = reinterpret_cast<Pointer>(std::malloc(bytes)) | emulate::ofDevice;
  return asked("cuMemAlloc_v2");
}
int cuMemFree_v2(Pointer pointer) { return std::free(emulate::memory(pointer)), 0; }
int cuMemcpyHtoDAsync_v2(Pointer to, const void *from, std::size_t bytes, void *) {
  std::memcpy(emulate::memory(to), from, bytes);
  return asked("cuMemcpyHtoDAsync_v2");
}
int cuMemcpyDtoHAsync_v2(void *to, Pointer from, std::size_t bytes, void *) {
  std::memcpy(to, emulate::memory(from), bytes);
  return asked("cuMemcpyDtoHAsync_v2");
}
int cuMemcpyHtoD_v2(Pointer to, const void *from, std::size_t bytes) {
  return cuMemcpyHtoDAsync_v2(to, from, bytes, nullptr);
}
int cuMemcpyDtoH_v2(void *to, Pointer from, std::size_t bytes) {
  return cuMemcpyDtoHAsync_v2(to, from, bytes, nullptr);
}

int cuModuleLoadData(void **module, const void *image) {
  const auto *head = static_cast<const Elf64_Ehdr *>(image);
  if (std::memcmp(head->e_ident, ELFMAG, SELFMAG) != 0)
    return 200; // CUDA_ERROR_INVALID_IMAGE
  std::string path = (std::filesystem::temp_directory_path() / "facet-fake-module-XXXXXX").string();
  const int file = mkstemp(path.data());
  const auto bytes =
      static_cast<std::streamsize>(head->e_shoff + head->e_shnum * head->e_shentsize);
  std::ofstream(path, std::ios::binary).write(static_cast<const char *>(image), bytes);
  close(file);
  *module = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  unlink(path.c_str());
  return *module ? asked("cuModuleLoadData") : 200;
}
int cuModuleGetFunction(void **made, void *module, const char *name) {
  void *launch = dlsym(module, (std::string(name) + "_launch").c_str());
  if (!launch)
    return notFound;
  *made = new Function{reinterpret_cast<decltype(Function::launch)>(launch)};
  return 0;
}
int cuFuncSetAttribute(void *function, int attribute, int value) {
  constexpr int sharedLimit = 8; // CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
  if (attribute != sharedLimit)
    return invalidValue;
  static_cast<Function *>(function)->sharedBytes = value;
  return 0;
}
int cuLaunchKernel(void *function, unsigned x, unsigned y, unsigned z, unsigned threads, unsigned,
                   unsigned, unsigned sharedBytes, void *stream, void **arguments, void **) {
  static std::mutex one; // emulated warps have one place to be
  const std::lock_guard<std::mutex> lock(one);
  auto *known = static_cast<Function *>(function);
  if (z != 1 || !stream || static_cast<int>(sharedBytes) > known->sharedBytes)
    return invalidValue;
  known->launch(static_cast<int>(x), static_cast<int>(y), static_cast<int>(threads), arguments);
  return asked("cuLaunchKernel");
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
NOT_HERE(cuModuleLoadDataEx)
NOT_HERE(cuModuleUnload)
NOT_HERE(cuPointerGetAttribute)
NOT_HERE(cuProfilerStop)
}
