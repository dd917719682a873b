// numbered.cpp - files beside another one whose names are its own and a number.
#include "runtime/files/numbered.h"
#include <charconv>
#include <filesystem>

namespace facet::runtime {

std::map<int, std::string> numbered(const std::string &path, const std::string &between) {
  std::map<int, std::string> result;
  const std::string start = std::filesystem::path(path).filename().string() + between;
  std::error_code failed;
  for (const auto &entry :
       std::filesystem::directory_iterator(std::filesystem::absolute(path).parent_path(), failed)) {
    const std::string name = entry.path().filename().string();
    int number = 0;
    if (name.compare(0, start.size(), start) != 0)
      continue;
    const auto [end, error] =
        std::from_chars(name.data() + start.size(), name.data() + name.size(), number);
    if (error == std::errc() && end == name.data() + name.size())
      result[number] = entry.path().string();
  }
  return result;
}

} // namespace facet::runtime
