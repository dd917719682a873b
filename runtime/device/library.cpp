// library.cpp - a driver's library by dlopen.
#include "runtime/device/library.h"
#include <dlfcn.h>

namespace facet::runtime {

DriverLibrary::DriverLibrary(const std::string &path)
    : handle_(dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL)), path_(path) {
  if (handle_ == nullptr)
    if (const char *why = dlerror())
      problem_ = std::string("cannot be opened (") + why + ")";
}

void *DriverLibrary::address(const char *name) {
  void *symbol = handle_ == nullptr ? nullptr : dlsym(handle_, name);
  if (symbol == nullptr && problem_.empty())
    problem_ = path_ + " has no " + name;
  return symbol;
}

} // namespace facet::runtime
