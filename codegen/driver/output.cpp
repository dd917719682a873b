// output.cpp - temporary names and renames; standard output.
#include "output.h"
#include "codegen/lower/room.h"
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <iostream>
#include <unistd.h>

namespace facet::driver {

namespace fs = std::filesystem;

namespace {

[[noreturn]] void fail(const std::string &path, const std::string &why) {
  throw lower::Unwritable{{fmt::format("cannot write {}: {}", path, why), {}}};
}

/// Removed when it goes out of scope, unless renamed before.
struct Temporary {
  fs::path path;
  explicit Temporary(fs::path path) : path(std::move(path)) {}
  Temporary(const Temporary &) = delete;
  Temporary &operator=(const Temporary &) = delete;
  ~Temporary() {
    std::error_code ignored;
    fs::remove(path, ignored);
  }
};

} // namespace

void writeWhole(const std::string &path, const std::function<void(const std::string &)> &write) {
  const bool toScreen = path.empty() || path == "-";
  const fs::path target = toScreen ? fs::path(lower::temporaryPlace()) / "facetc" : fs::path(path);
  std::error_code code;
  if (!toScreen && fs::is_directory(target, code))
    fail(path, "it is a folder");
  // The ending is kept: what writes the file may go by it.
  Temporary temporary{target.parent_path() / fmt::format("{}.{}.tmp{}", target.stem().string(),
                                                         ::getpid(), target.extension().string())};
  lower::requireRoom(temporary.path, toScreen ? "into TMPDIR, " + target.string() : path);
  write(temporary.path);
  if (toScreen) {
    if (std::ifstream file(temporary.path, std::ios::binary); file && file.peek() != EOF)
      std::cout << file.rdbuf();
    if (!std::cout.flush())
      fail("standard output", std::strerror(errno));
    return;
  }
  fs::rename(temporary.path, target, code);
  if (code)
    fail(path, code.message());
}

void writeText(const std::string &path, const std::string &text) {
  if (path.empty() || path == "-") {
    if (!(std::cout << text).flush())
      fail("standard output", std::strerror(errno));
    return;
  }
  writeWhole(path, [&](const std::string &temporary) {
    std::ofstream file(temporary, std::ios::binary);
    if (!(file << text).flush())
      fail(path, std::strerror(errno));
  });
}

} // namespace facet::driver
