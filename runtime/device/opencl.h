// opencl.h - the few functions of OpenCL 1.2 that facet calls, as its specification has them.
#pragma once
#include <cstddef>
#include <cstdint>

namespace facet::runtime::opencl {

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

struct Functions {
  Status (*getPlatformIDs)(std::uint32_t entries, Platform *platforms, std::uint32_t *count);
  Status (*getPlatformInfo)(Platform platform, std::uint32_t what, std::size_t size, void *value,
                            std::size_t *needed);
  Status (*getDeviceIDs)(Platform platform, std::uint64_t type, std::uint32_t entries,
                         DeviceId *devices, std::uint32_t *count);
  Status (*getDeviceInfo)(DeviceId device, std::uint32_t what, std::size_t size, void *value,
                          std::size_t *needed);
  Context (*createContext)(const std::intptr_t *properties, std::uint32_t count,
                           const DeviceId *devices,
                           void (*notify)(const char *, const void *, std::size_t, void *),
                           void *data, Status *status);
  Status (*releaseContext)(Context context);
  Queue (*createCommandQueue)(Context context, DeviceId device, std::uint64_t properties,
                              Status *status);
  Status (*releaseCommandQueue)(Queue queue);
  Status (*finish)(Queue queue);
};

} // namespace facet::runtime::opencl
