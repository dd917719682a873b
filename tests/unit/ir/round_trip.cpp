// round_trip.cpp - printing and reading are inverse on every .fir file of the suite and the
// examples.
#include "codegen/ir/evaluate.h"
#include <cmath>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>

namespace facet::ir {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> irFiles() {
  std::vector<fs::path> found;
  for (const char *folder : {"tests", "examples"})
    if (const fs::path root = fs::path(FACET_SOURCE) / folder; fs::exists(root))
      for (const auto &entry : fs::recursive_directory_iterator(root))
        if (entry.path().extension() == ".fir")
          found.push_back(entry.path());
  return found;
}

/// The kernels of a file: one, or several that split-file would part.
std::vector<std::string> kernelsOf(const fs::path &path) {
  std::ifstream file(path);
  const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  std::vector<std::string> parts;
  for (std::size_t at = 0; (at = text.find("\nkernel @", at)) != std::string::npos; ++at)
    parts.push_back(text.substr(at + 1, text.find("\n}\n", at) + 2 - at));
  return parts;
}

/// A value that is not a number equals itself.
std::string same(Complex value) {
  return std::isnan(std::abs(value)) ? "nan" : testing::PrintToString(value);
}

TEST(RoundTrip, PrintingWhatWasReadGivesTheSameTextAgain) {
  std::size_t kernels = 0;
  for (const fs::path &path : irFiles())
    for (const std::string &text : kernelsOf(path))
      try {
        ++kernels;
        const Kernel kernel = read(text, path.string());
        const std::string printed = print(kernel);
        const Kernel again = read(printed, "printed");
        EXPECT_EQ(print(again), printed) << path;
        // The same text, and the same kernel: equal values at a random point.
        const Point point = randomPoint(kernel, 1);
        EXPECT_EQ(same(evaluateTerm(again, point)), same(evaluateTerm(kernel, point))) << path;
        EXPECT_EQ(same(evaluateFinish(again, point)), same(evaluateFinish(kernel, point))) << path;
      } catch (const Error &error) {
        ADD_FAILURE() << path << ": " << error.message;
      }
  EXPECT_GE(kernels, 20U); // the suite has more: a search that finds none must not pass
}

} // namespace
} // namespace facet::ir
