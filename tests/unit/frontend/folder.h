// folder.h - a folder for one test, removed afterwards.
#pragma once
#include <filesystem>
#include <fstream>
#include <stdlib.h>
#include <string>

struct Folder {
  std::filesystem::path path;
  Folder() {
    std::string name = (std::filesystem::temp_directory_path() / "facet-frontend-XXXXXX").string();
    path = mkdtemp(name.data());
  }
  ~Folder() { std::filesystem::remove_all(path); }
  Folder(const Folder &) = delete;
  Folder &operator=(const Folder &) = delete;
  /// Writes a file, and says where.
  std::string write(const std::string &name, const std::string &text) const {
    std::ofstream(path / name) << text;
    return path / name;
  }
};
