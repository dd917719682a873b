// ir.h - kernels as the text of IR: those of examples/kernels, and one around a few values.
#pragma once
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>

namespace facet::test {

inline std::string textOf(const std::filesystem::path &path) {
  std::ifstream file(path);
  if (!file)
    throw std::runtime_error("cannot read " + path.string());
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

#ifdef FACET_EXAMPLES
/// A kernel of examples/kernels as the front end lowers it.
inline std::string exampleIr(const std::string &name) {
  return textOf(std::filesystem::path(FACET_EXAMPLES) / (name + ".fir"));
}
#endif

/// Record, grid and parameters; the values of the sum, up to its yield; and those of finish.
inline std::string kernelIr(const std::string &declarations, const std::string &values,
                            const std::string &finish = "yield sum") {
  return "kernel @k { " + declarations + " sum t { " + values + " } finish { " + finish + " } }\n";
}

} // namespace facet::test
