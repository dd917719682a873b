// fake_cuda.cpp - a driver of CUDA without a device behind it, so that tests reach its side of the
// runtime anywhere: FAKE_DEVICES of capability 9.0 and up, FAKE_INIT the result of cuInit.
#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <cstring>

namespace {
int context, streams[64];
std::atomic<int> used; // by threads that open queues at once
thread_local int pushed;
bool fails() { return std::getenv("FAKE_CUDA_LOST") != nullptr; }
} // namespace

extern "C" {
int cuInit(unsigned) { return FAKE_INIT; }
int cuDeviceGetCount(int *count) { return *count = FAKE_DEVICES, 0; }
int cuDeviceGet(int *device, int ordinal) { return *device = ordinal, 0; }
int cuDeviceGetName(char *name, int length, int device) {
  std::strncpy(name, device == 0 ? "Fake H200" : "Fake A100", static_cast<std::size_t>(length));
  return 0;
}
int cuDriverGetVersion(int *version) { return *version = 12040, 0; }
int cuDeviceTotalMem_v2(std::size_t *bytes, int) { return *bytes = std::size_t{1} << 37, 0; }
int cuDeviceGetAttribute(int *value, int attribute, int device) {
  // CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, _MAX_THREADS_.., _MAX_SHARED_MEMORY_PER_BLOCK
  constexpr int major = 75, threads = 1, shared = 8;
  return *value = attribute == major     ? (device == 0 ? 9 : 8)
                  : attribute == threads ? 1024
                  : attribute == shared  ? 49152
                                         : 0,
         0;
}
int cuDevicePrimaryCtxRetain(void **made, int) { return *made = &context, 0; }
int cuDevicePrimaryCtxRelease_v2(int) { return 0; }
int cuCtxPushCurrent_v2(void *) { return ++pushed, 0; }
int cuCtxPopCurrent_v2(void **) { return --pushed, 0; }
int cuMemGetInfo_v2(std::size_t *free, std::size_t *total) {
  return *free = std::size_t{1} << 36, *total = std::size_t{1} << 37, pushed == 1 ? 0 : 201;
}
int cuMemHostAlloc(void **memory, std::size_t bytes, unsigned) {
  return *memory = std::malloc(bytes), pushed == 1 ? 0 : 201;
}
int cuMemFreeHost(void *memory) { return std::free(memory), 0; }
int cuStreamCreate(void **stream, unsigned) { return *stream = &streams[used++], 0; }
int cuStreamDestroy_v2(void *) { return 0; }
int cuStreamSynchronize(void *) { return fails() ? 719 : 0; }
int cuGetErrorName(int error, const char **name) {
  return *name = error == 719 ? "CUDA_ERROR_LAUNCH_FAILED"
                 : error == 2 ? "CUDA_ERROR_OUT_OF_MEMORY"
                              : "CUDA_ERROR_UNKNOWN",
         0;
}
int cuGetErrorString(int, const char **text) { return *text = "words of the driver", 0; }
}
