// beside_library.cpp - the place of libfacet, from the loader.
#include "runtime/files/beside_library.h"
#include <dlfcn.h>
#include <filesystem>

namespace facet::runtime {
namespace fs = std::filesystem;

std::string besideLibrary(const std::string &name) {
  Dl_info here{};
  if (dladdr(reinterpret_cast<const void *>(&besideLibrary), &here) == 0)
    return "";
  const fs::path folder = fs::absolute(here.dli_fname).parent_path();
  for (const fs::path &path : {folder / name, folder / "facet" / name})
    if (std::error_code none; fs::exists(path, none))
      return path.string();
  return "";
}

} // namespace facet::runtime
