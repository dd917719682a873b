// library.h - a driver's library, opened when a device is wanted, and its functions.
#pragma once
#include <cstring>
#include <string>

namespace facet::runtime {

/// Never closed: drivers have threads of their own. Its symbols are global, since Halide's runtime
/// inside a kernel library looks for them in the process before it tries names of libraries, and
/// those that it tries ("libOpenCL.so") are of development packages.
class DriverLibrary {
public:
  explicit DriverLibrary(const std::string &path);
  /// Why it cannot be opened, or which function it lacks; "" where all is well.
  const std::string &problem() const { return problem_; }
  /// Puts a function's address into a pointer to a function.
  template <class Function> void find(Function &function, const char *name) {
    void *symbol = address(name);
    std::memcpy(static_cast<void *>(&function), static_cast<const void *>(&symbol), sizeof symbol);
  }

private:
  void *address(const char *name);
  void *handle_ = nullptr;
  std::string path_, problem_;
};

} // namespace facet::runtime
