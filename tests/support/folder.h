// folder.h - a folder for one test, removed afterwards; a file as text.
#pragma once
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>

namespace facet::test {

/// Its bytes. Throws std::runtime_error if it cannot be read.
inline std::string textOf(const std::filesystem::path &path) {
  std::ifstream file(path, std::ios::binary);
  if (!file)
    throw std::runtime_error("cannot read " + path.string());
  return {std::istreambuf_iterator<char>(file), {}};
}

struct Folder {
  std::filesystem::path path;
  /// Throws std::runtime_error if none can be made.
  Folder() {
    std::string name = (std::filesystem::temp_directory_path() / "facet-test-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr)
      throw std::runtime_error("cannot make a folder for a test: " + name);
    path = name;
  }
  ~Folder() {
    std::error_code ignored; // a test may have closed it
    std::filesystem::permissions(path, std::filesystem::perms::owner_all, ignored);
    std::filesystem::remove_all(path, ignored);
  }
  Folder(const Folder &) = delete;
  Folder &operator=(const Folder &) = delete;
  /// Writes a file and returns its path.
  std::string write(const std::string &name, const std::string &text) const {
    std::ofstream(path / name) << text;
    return path / name;
  }
};

} // namespace facet::test
