// built.cpp - builds, loads and calls kernel libraries as a runtime would, on one tile.
#include "built.h"
#include "codegen/frontend/frontend.h"
#include <cstdlib>
#include <dlfcn.h>
#include <stdexcept>

namespace facet::test {

std::string fileOf(const std::string &name) {
  const std::string example = std::string(KERNELS) + "/" + name + ".cpp";
  return std::filesystem::exists(example) ? example : OWN_KERNELS + ("/" + name + ".cpp");
}

lower::LibraryRequest requestFor(const std::string &kernelFile) {
  lower::LibraryRequest request;
  frontend::Parsed parsed = frontend::parse(kernelFile);
  if (parsed.kernels.empty())
    throw std::runtime_error("no kernel in " + kernelFile);
  request.kernel = parsed.kernels.front();
  request.source = kernelFile;
  request.files = {{kernelFile, parsed.hash}};
  request.commandLine = "facetc --emit=library";
  request.frontVersion = "LLVM";
  request.targets = {__builtin_cpu_supports("avx512f") ? "avx512"
                     : __builtin_cpu_supports("avx2")  ? "avx2"
                                                       : "sse41"};
  request.grids = {ir::GridKind::Product, ir::GridKind::Points};
  request.complexQ = {false};
  for (const auto &axis : request.kernel.axes)
    if (axis.type == ir::Type::Cplx)
      request.complexQ = {false, true};
  request.classes = {passes::Class::F32, passes::Class::F32Careful, passes::Class::F64};
  request.compileCpp = frontend::compileObject;
  return request;
}

std::string refusalOf(const std::function<void()> &work) {
  try {
    work();
  } catch (const ir::Error &error) {
    return error.message;
  }
  return "";
}

Loaded buildAndLoad(const lower::LibraryRequest &request, const Folder &folder) {
  const std::string path = folder.path / (request.kernel.name + ".so");
  lower::buildLibrary(lower::planLibrary(request), lower::LibraryForm::Shared, path);
  Loaded loaded;
  void *handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle)
    throw std::runtime_error(dlerror());
  loaded.handle.reset(handle, [](void *open) { dlclose(open); });
  const auto find = reinterpret_cast<facet_kernel_fn>(dlsym(handle, "facet_kernel"));
  if (!find)
    throw std::runtime_error("no facet_kernel in the library");
  loaded.kernel = find();
  return loaded;
}

} // namespace facet::test
