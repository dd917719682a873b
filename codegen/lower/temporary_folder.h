// temporary_folder.h - a folder for objects that is gone, with all in it, when its owner is.
#pragma once
#include "codegen/lower/room.h"
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <string>

namespace facet::lower {

struct TemporaryFolder {
  std::string path;
  TemporaryFolder() {
    std::string pattern = temporaryPlace() + "/facetc-XXXXXX";
    if (!mkdtemp(pattern.data()))
      throw Unwritable{{fmt::format("cannot make a folder for objects in '{}': {}; set TMPDIR to "
                                    "a folder that you can write",
                                    temporaryPlace(), std::strerror(errno)),
                        {}}};
    path = pattern;
    try {
      requireRoom(path + "/room", "into TMPDIR, " + path);
    } catch (...) {
      remove();
      throw;
    }
  }
  TemporaryFolder(const TemporaryFolder &) = delete;
  TemporaryFolder &operator=(const TemporaryFolder &) = delete;
  ~TemporaryFolder() { remove(); }

private:
  void remove() const {
    std::error_code ignored;
    std::filesystem::remove_all(path, ignored);
  }
};

} // namespace facet::lower
