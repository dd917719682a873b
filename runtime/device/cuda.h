// cuda.h - the few functions of CUDA's driver that facet calls, as the driver API documents them.
#pragma once
#include <cstddef>

namespace facet::runtime::cuda {

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
struct Functions {
  Result (*init)(unsigned flags);
  Result (*deviceGetCount)(int *count);
  Result (*deviceGet)(DeviceId *device, int ordinal);
  Result (*deviceGetName)(char *name, int length, DeviceId device);
  Result (*deviceTotalMem)(std::size_t *bytes, DeviceId device);
  Result (*deviceGetAttribute)(int *value, int attribute, DeviceId device);
  Result (*driverGetVersion)(int *version);
  Result (*primaryCtxRetain)(Context *context, DeviceId device);
  Result (*primaryCtxRelease)(DeviceId device);
  Result (*ctxPushCurrent)(Context context);
  Result (*ctxPopCurrent)(Context *context);
  Result (*memGetInfo)(std::size_t *free, std::size_t *total);
  Result (*memHostAlloc)(void **memory, std::size_t bytes, unsigned flags);
  Result (*memFreeHost)(void *memory);
  Result (*streamCreate)(Stream *stream, unsigned flags);
  Result (*streamDestroy)(Stream stream);
  Result (*streamSynchronize)(Stream stream);
  Result (*getErrorName)(Result error, const char **name);
  Result (*getErrorString)(Result error, const char **text);
};

} // namespace facet::runtime::cuda
