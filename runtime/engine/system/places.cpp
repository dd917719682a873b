// places.cpp - the XDG base directories (specifications.freedesktop.org/basedir-spec), and the
// place of libfacet from the loader.
#include "runtime/engine/system/places.h"
#include <cstdlib>
#include <dlfcn.h>
#include <facet/runtime/error.h>
#include <filesystem>

namespace facet::runtime {
namespace fs = std::filesystem;
namespace {

std::string facetFolder(const char *xdg, const char *belowHome) {
  if (const std::string folder = environment(xdg); !folder.empty())
    return folder + "/facet";
  const std::string home = environment("HOME");
  return home.empty() ? "" : home + belowHome + "/facet";
}

} // namespace

std::string environment(const char *name) {
  const char *value = std::getenv(name);
  return value == nullptr ? "" : value;
}

std::string settingsFile(const std::string &name) {
  const std::string folder = facetFolder("XDG_CONFIG_HOME", "/.config");
  return folder.empty() ? "" : folder + "/" + name;
}

std::string cacheHome() { return facetFolder("XDG_CACHE_HOME", "/.cache"); }

std::string besideLibrary(const std::string &name) {
  Dl_info here{};
  if (dladdr(reinterpret_cast<const void *>(&besideLibrary), &here) == 0)
    return "";
  std::error_code none;
  const fs::path folder = fs::weakly_canonical(here.dli_fname, none).parent_path();
  for (const fs::path &path : {folder / name, folder / "facet" / name})
    if (fs::exists(path, none))
      return path.string();
  return "";
}

TemporaryFolder::TemporaryFolder()
    : path((std::filesystem::temp_directory_path() / "facet-XXXXXX").string()) {
  if (mkdtemp(path.data()) == nullptr)
    throw Error(std::filesystem::temp_directory_path().string(), "no folder can be made",
                "set TMPDIR to a folder you can write", Exit::Failed);
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path, ignored);
}

} // namespace facet::runtime
