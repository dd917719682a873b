// nvcc.cpp - finds NVIDIA's compiler and makes machine code of CUDA C++ with it.
#include "codegen/lower/system.h"
#include "tensor.h"
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <string_view>
#include <unistd.h>

namespace facet::lower::tensor {
namespace {

std::string variable(const char *name) {
  const char *value = std::getenv(name); // NOLINT(concurrency-mt-unsafe): nothing sets it here
  return value == nullptr ? "" : value;
}

bool isProgram(const std::string &path) {
  return std::filesystem::is_regular_file(path) && access(path.c_str(), X_OK) == 0;
}

std::string find() {
  if (const std::string named = variable("FACET_NVCC"); !named.empty()) {
    if (!isProgram(named))
      throw ir::Error{fmt::format("FACET_NVCC={}: no program is there; set it to NVIDIA's nvcc, or "
                                  "take tensor=0",
                                  named)};
    return named;
  }
  std::string folders = variable("PATH");
  if (const std::string home = variable("CUDA_HOME"); !home.empty())
    folders += ":" + home + "/bin";
  folders += ":/usr/local/cuda/bin";
  for (std::string_view rest = folders; !rest.empty();) {
    const std::string_view folder = rest.substr(0, rest.find(':'));
    rest.remove_prefix(std::min(rest.size(), folder.size() + 1));
    if (const std::string path = fmt::format("{}/nvcc", folder); isProgram(path))
      return path;
  }
  throw ir::Error{
      "tensor=1: sums on tensor cores are compiled by nvcc, which is neither in the PATH "
      "nor in $CUDA_HOME/bin nor in /usr/local/cuda/bin; install NVIDIA's CUDA toolkit, "
      "set FACET_NVCC to its nvcc, or take tensor=0"};
}

} // namespace

void compile(const std::string &text, const std::string &image) {
  const std::string nvcc = find(), source = image + ".cu";
  std::ofstream(source) << text;
  runTool({nvcc, "-std=c++17", "-fatbin", "-gencode=arch=compute_80,code=sm_80",
           "-gencode=arch=compute_90,code=[sm_90,compute_90]", source, "-o", image},
          "CUDA compiler");
}

} // namespace facet::lower::tensor
