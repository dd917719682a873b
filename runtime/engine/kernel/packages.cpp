// packages.cpp - asks Python for kernels of packages: `python -m facet.packages NAME` answers on
// standard error by lines `kernel: FILE` and `name: NAME`, and fails with a message.
#include "runtime/engine/kernel/packages.h"
#include "runtime/engine/kernel/inside.h"
#include "runtime/engine/system/places.h"
#include <filesystem>
#include <sstream>

namespace facet::runtime {
namespace fs = std::filesystem;

std::string packagedKernel(const std::string &name, std::vector<std::string> &names) {
  const std::string python = environment("FACET_PYTHON");
  if (python.empty())
    return "";
  std::string said, file;
  if (const int code = spawn({python, "-m", "facet.packages", name}, true, &said); code != 0)
    throw Error("", said, "", code == 1 ? Exit::BadInput : Exit::Failed);
  std::istringstream lines(said);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("kernel: "))
      file = line.substr(8);
    if (line.starts_with("name: "))
      names.push_back(line.substr(6));
  }
  return file;
}

std::string packageOf(const std::string &kernelFile) {
  const fs::path folder = fs::path(kernelFile).parent_path();
  return folder.parent_path().filename() == "packages" ? folder.filename().string() : "";
}

} // namespace facet::runtime
