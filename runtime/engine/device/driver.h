// driver.h - the drivers of this process: their libraries, what facet asks of them, the same for
// OpenCL and CUDA, and the devices that they have.
#pragma once
#include "runtime/engine/device/device.h"

namespace facet::runtime {

/// A driver's library, opened when a device is wanted. Never closed: drivers have threads of their
/// own. Its symbols are global, since Halide's runtime inside a kernel library first looks for them
/// in the process. Then it tries names of libraries, which are of development packages
/// ("libOpenCL.so").
class DriverLibrary {
public:
  explicit DriverLibrary(const std::string &path);
  /// Why it cannot be opened, or which function it lacks; "" if all is well.
  const std::string &problem() const { return problem_; }
  struct Address {
    void *symbol;
    template <class Function> operator Function *() const {
      return reinterpret_cast<Function *>(symbol);
    }
  };
  /// The address of a function, for a pointer to it of any type.
  Address find(const char *name);

private:
  void *handle_ = nullptr;
  std::string path_, problem_;
};

/// A driver opened by dlopen and kept open. Functions that can fail and do not throw say so in what
/// they return.
class Driver {
public:
  virtual ~Driver() = default;
  /// Asks the driver; what it says if there is none.
  virtual DeviceList list() = 0;
  /// For the device with this index of list(). Throw std::runtime_error with the driver's words.
  virtual void *openContext(int index) = 0;
  virtual void *openQueue(int index, void *context) = 0;
  virtual void closeQueue(void *context, void *queue) noexcept = 0;
  /// Host memory for transfers; null if there is none.
  virtual void *allocate(void *context, std::int64_t bytes) noexcept = 0;
  virtual void release(void *context, void *memory) noexcept = 0;
  /// Bytes of the device that are free; -1 if the driver does not tell.
  virtual std::int64_t freeMemory(void *) noexcept { return -1; }
  /// Waits for the queue: "", or the driver's words if the device is lost.
  virtual std::string wait(void *context, void *queue) noexcept = 0;
};

/// A driver, or null with the reason and what to do in `why`. `library`: its path; "" for the usual
/// name.
std::unique_ptr<Driver> openOpencl(const std::string &library, DeviceList &why);
std::unique_ptr<Driver> openCuda(const std::string &library, DeviceList &why);

/// An interface's driver with what it has said; `driver` is null if it cannot be opened.
struct Discovery {
  std::unique_ptr<Driver> driver;
  DeviceList list;
};
/// Opens a driver by a path, "" for the usual name, and asks for its devices.
Discovery discover(facet_interface interface_, const std::string &library);
/// The process's own, found once.
Discovery &foundHere(facet_interface interface_);

} // namespace facet::runtime
