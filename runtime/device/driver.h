// driver.h - what facet asks of a driver of devices, the same for OpenCL and CUDA.
#pragma once
#include "runtime/device/device.h"

namespace facet::runtime {

/// A driver opened by dlopen and kept open. Functions that can fail and do not throw say so in what
/// they return.
class Driver {
public:
  virtual ~Driver() = default;
  /// Asks the driver; what it says where there is none.
  virtual DeviceList list() = 0;
  /// Of the device with this index of list(). Throw std::runtime_error with the driver's words.
  virtual void *openContext(int index) = 0;
  virtual void *openQueue(int index, void *context) = 0;
  virtual void closeContext(int index, void *context) noexcept = 0;
  virtual void closeQueue(void *context, void *queue) noexcept = 0;
  /// Host memory for transfers; null where there is none.
  virtual void *allocate(void *context, std::int64_t bytes) noexcept = 0;
  virtual void release(void *context, void *memory) noexcept = 0;
  /// Bytes of the device that are free; -1 where the driver does not tell.
  virtual std::int64_t freeMemory(void *context) noexcept = 0;
  /// Waits for the queue: "", or the driver's words where the device is lost.
  virtual std::string wait(void *context, void *queue) noexcept = 0;
};

/// A driver, or null with the reason and what to do in `why`. `library`: its path; "" for the usual
/// name.
std::unique_ptr<Driver> openOpencl(const std::string &library, DeviceList &why);
std::unique_ptr<Driver> openCuda(const std::string &library, DeviceList &why);

} // namespace facet::runtime
