// round_trip.cpp - printing and reading are inverse on every kernel of the .fir files of the suite.
#include "codegen/ir/evaluate.h"
#include "tests/support/folder.h"
#include "tests/support/ir.h"
#include <cmath>
#include <cstdlib>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <iterator>

namespace facet::ir {
namespace {

namespace fs = std::filesystem;

/// Every .fir file, and the examples; of a test with several kernels, those that kernels.py writes.
std::vector<fs::path> irFiles(const fs::path &made) {
  const fs::path lit = fs::path(FACET_SOURCE) / "tests/lit";
  std::vector<fs::path> found;
  for (const auto &example : fs::directory_iterator(FACET_EXAMPLES))
    found.push_back(example.path());
  for (const auto &entry : fs::recursive_directory_iterator(lit))
    if (const fs::path &test = entry.path(); test.extension() != ".fir") {
      continue;
    } else if (test::textOf(test).find("//--- ") == std::string::npos) {
      found.push_back(test);
    } else {
      const std::string folder = made / std::to_string(found.size());
      const std::string command = fmt::format("{} {}/kernels.py - {} {}", FACET_PYTHON,
                                              lit.string(), test.string(), folder);
      EXPECT_EQ(std::system(command.c_str()), 0) << command;
      for (const auto &kernel : fs::directory_iterator(folder))
        found.push_back(kernel.path());
    }
  return found;
}

/// A value that is not a number equals itself.
std::string same(Complex value) {
  return std::isnan(std::abs(value)) ? "nan" : testing::PrintToString(value);
}

TEST(RoundTrip, PrintingWhatWasReadGivesTheSameTextAgain) {
  const test::Folder folder;
  const std::vector<fs::path> files = irFiles(folder.path);
  for (const fs::path &path : files)
    try {
      const Kernel kernel = read(test::textOf(path), path.string());
      const std::string printed = print(kernel);
      const Kernel again = read(printed, "printed");
      EXPECT_EQ(print(again), printed) << path;
      // The same text, and the same kernel: equal values at a random point.
      const Point point = randomPoint(kernel, 1);
      const std::vector<Complex> term = evaluateTerm(kernel, point),
                                 repeated = evaluateTerm(again, point);
      ASSERT_EQ(term.size(), repeated.size()) << path;
      for (std::size_t k = 0; k < term.size(); ++k)
        EXPECT_EQ(same(repeated[k]), same(term[k])) << path;
      const std::vector<Complex> f = evaluateFinish(kernel, point),
                                 once = evaluateFinish(again, point);
      ASSERT_EQ(f.size(), once.size()) << path;
      for (std::size_t k = 0; k < f.size(); ++k)
        EXPECT_EQ(same(once[k]), same(f[k])) << path;
    } catch (const Error &error) {
      ADD_FAILURE() << path << ": " << error.message;
    }
  EXPECT_GE(files.size(), 60U); // the suite has more: a search that finds none must not pass
}

} // namespace
} // namespace facet::ir
