// device.h - devices of OpenCL and CUDA: which are here, one opened, and its queues for sums.
#pragma once
#include <cstdint>
#include <facet/abi.h>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace facet::runtime {

/// "opencl", "cuda".
std::string interfaceName(facet_interface interface_);

/// A device as its driver describes it.
struct DeviceInfo {
  facet_interface interface_ = FACET_OPENCL;
  int index = 0;                  // among the devices of its interface: "cuda:0"
  std::string name, version;      // version: "OpenCL 3.0", "compute capability 9.0"
  std::string driver;             // its version: "3.1", "CUDA 12.4"
  std::int64_t memory = 0;        // bytes
  std::int64_t largestBuffer = 0; // bytes of one allocation; memory, if there is no limit
  int capability = 0;             // CUDA: 90 is 9.0
  bool doubles = false;           // double precision
  bool gpu = false;               // OpenCL has CPUs too
  // Limits of a block of threads (OpenCL: a work-group); 0 if the driver does not say.
  int blockThreads = 0, sharedBytes = 0, blockRegisters = 0;
  /// "cuda:0", as FACET_DEVICE takes it; with its name, "cuda:0 (NVIDIA H200)".
  std::string id() const;
  std::string idAndName() const { return id() + " (" + name + ")"; }
};

/// The devices of an interface, or why there is none and what to do about it.
struct DeviceList {
  std::vector<DeviceInfo> devices;
  std::string none, help;
};
/// What is here, looked up once a process. The driver is found by its usual name, or by the path in
/// FACET_OPENCL_LIBRARY or FACET_CUDA_LIBRARY. Opening OpenCL takes some 0.1 s: ask only if a
/// device is wanted.
const DeviceList &devicesHere(facet_interface interface_);

/// The device that FACET_DEVICE names, if it is of this interface; else the first GPU with
/// double precision, else the first with it, else the first. Null if there is none. Throws Error
/// if FACET_DEVICE names no device that is here.
const DeviceInfo *chosenDevice(facet_interface interface_);
/// Whether FACET_DEVICE names a device of this interface. Throws Error if it is not like
/// "opencl:0" or "cuda:0".
bool deviceNamed(facet_interface interface_);

class Driver;

/// One device with its context, opened once a process and never closed: kernel libraries keep what
/// they have compiled for it by its context.
class Device {
public:
  /// The chosen device of the interface. Throws Error: there is none, or its driver refuses.
  static Device &open(facet_interface interface_);
  /// Likewise, for a device of schedules/targets.def ("opencl", "cuda-sm_80").
  static Device &open(std::string_view target);
  Device(const Device &) = delete;

  const DeviceInfo &info() const { return info_; }
  /// Bytes that are free now; with OpenCL, which does not tell, all of its memory.
  std::int64_t freeMemory() const;

private:
  friend class DeviceQueue;
  Device(Driver &driver, const DeviceInfo &info);
  Driver &driver_;
  DeviceInfo info_;
  void *context_;
};

/// A queue (OpenCL) or stream (CUDA) of a device with its staging memory: one buffer of k. For one
/// host thread at a time. Frees all when it goes; the queue is waited for first.
class DeviceQueue {
public:
  /// Throws Error if the driver refuses.
  explicit DeviceQueue(Device &device);
  ~DeviceQueue();
  DeviceQueue(DeviceQueue &&) noexcept;
  DeviceQueue &operator=(DeviceQueue &&) noexcept;

  /// For facet_sum_args.device; lives as long as this queue, its address stays. `message` is
  /// emptied by nobody: empty it before a call.
  facet_device *get();
  /// Asks the driver whether the device still answers: "" if it does, else what the driver says.
  /// After FACET_DEVICE_FAILED this tells a lost device from a kernel that was refused.
  std::string lost();

private:
  struct State;
  std::unique_ptr<State> state_;
};

} // namespace facet::runtime
