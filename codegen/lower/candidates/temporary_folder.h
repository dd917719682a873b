// temporary_folder.h - a folder for objects that is gone, with all in it, when its owner is.
#pragma once
#include "codegen/ir/ir.h"
#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <string>

namespace facet::lower {

struct TemporaryFolder {
  std::string path;
  TemporaryFolder() {
    namespace fs = std::filesystem;
    std::string pattern = (fs::temp_directory_path() / "facetc-XXXXXX").string();
    if (!mkdtemp(pattern.data()))
      throw ir::Error{fmt::format("cannot make a folder for objects in '{}'",
                                  fs::temp_directory_path().string()),
                      {}};
    path = pattern;
  }
  TemporaryFolder(const TemporaryFolder &) = delete;
  TemporaryFolder &operator=(const TemporaryFolder &) = delete;
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path, ignored);
  }
};

} // namespace facet::lower
