// kernel.cpp - opens a kernel library and checks that it speaks this runtime's ABI.
#include <cstddef>
#include <dlfcn.h>
#include <facet/runtime/kernel.h>
#include <filesystem>

namespace facet::runtime {
namespace {

// The first two fields are fixed for all time; nothing else is read before they are right.
void checkAbi(const facet_kernel_description *d, const std::string &where) {
  if (d == nullptr)
    throw Error(where, "the library holds no kernel", "build it again with facet build");
  if (d->abi != FACET_ABI_VERSION)
    throw Error(where,
                "kernel library with ABI " + std::to_string(d->abi) + ", this facet speaks ABI " +
                    std::to_string(FACET_ABI_VERSION),
                "build it again with facet build");
  if (d->size != sizeof(facet_kernel_description))
    throw Error(where,
                "kernel library whose description has " + std::to_string(d->size) + " bytes, " +
                    std::to_string(sizeof(facet_kernel_description)) + " expected",
                "build it again with facet build");
}

} // namespace

Kernel::Kernel(const facet_kernel_description *description, std::string where)
    : description_(description), path_(std::move(where)) {
  checkAbi(description_, path_.empty() ? "kernel linked into the program" : path_);
}

Kernel Kernel::load(const std::string &path) {
  const std::filesystem::path file = std::filesystem::absolute(path);
  if (!std::filesystem::exists(file))
    throw Error(path, "no such file", "a kernel library is made by facet build");
  // RTLD_LOCAL: libraries of two kernels, or of two versions of one, must not see each other.
  const std::shared_ptr<void> library(dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL), [](void *p) {
    if (p != nullptr)
      dlclose(p);
  });
  if (!library) {
    const char *reason = dlerror(); // NOLINT(concurrency-mt-unsafe): the text is per thread
    throw Error(path, std::string("not a kernel library: ") + (reason != nullptr ? reason : "?"),
                "build it again with facet build");
  }
  const auto entry = reinterpret_cast<facet_kernel_fn>(dlsym(library.get(), "facet_kernel"));
  if (entry == nullptr)
    throw Error(path, "a shared library, but no kernel library: it has no facet_kernel()",
                "a kernel library is made by facet build");
  Kernel kernel(entry(), path);
  kernel.library_ = library;
  return kernel;
}

} // namespace facet::runtime
