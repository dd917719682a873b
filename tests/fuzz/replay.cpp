// replay.cpp - every example of the corpora through its reader, once: what fuzzers found stays
// mended.
#include "tests/fuzz/readers.h"
#include "tests/support/folder.h"
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

namespace {
using namespace facet::fuzz;
namespace fs = std::filesystem;

class Replay : public testing::TestWithParam<Reader> {};

/// While it lives, no allocation beyond what there is and 2 GB succeeds: std::bad_alloc comes
/// through.
class LittleMemory {
public:
  LittleMemory() {
    getrlimit(RLIMIT_AS, &before_);
    rlimit little = before_;
    std::ifstream statm("/proc/self/statm");
    rlim_t pages = 0;
    statm >> pages;
    little.rlim_cur = std::min<rlim_t>(
        before_.rlim_max, pages * static_cast<rlim_t>(sysconf(_SC_PAGESIZE)) + (rlim_t{2} << 30));
    setrlimit(RLIMIT_AS, &little);
  }
  ~LittleMemory() { setrlimit(RLIMIT_AS, &before_); }
  LittleMemory(const LittleMemory &) = delete;

private:
  rlimit before_{};
};

TEST_P(Replay, ReadsOrRefusesEachExample) {
  const LittleMemory little;
  std::vector<fs::path> examples;
  for (const auto &entry : fs::directory_iterator(fs::path(CORPUS) / GetParam().name))
    examples.push_back(entry.path());
  std::ranges::sort(examples);
  EXPECT_FALSE(examples.empty());
  for (const fs::path &example : examples) {
    SCOPED_TRACE(example);
    EXPECT_NO_THROW(readOnce(GetParam(), facet::test::textOf(example)));
  }
}

void read(const std::string &name, const std::string &text) {
  const LittleMemory little;
  const auto reader = std::ranges::find(readers(), name, &Reader::name);
  EXPECT_NO_THROW(readOnce(*reader, text)) << name;
}

std::string repeated(const std::string &text, int times) {
  std::string all;
  for (int k = 0; k < times; ++k)
    all += text;
  return all;
}

// What is too long for a corpus: each ended the process, by the end of its stack.
TEST(Fuzzed, KeysOfManyParts) {
  const std::string parts = repeated("a.", 200'000) + "a";
  for (const char *name : {"experiment", "schedules", "profile"}) {
    read(name, parts + " = 1\n");
    read(name, "[" + parts + "]\n");
    read(name, "[[" + parts + "]]\n");
    read(name, "t = \"\"\"#'\"\"\"\n# \"\n'\"' = 1\n" + parts + " = 1\n");
    read(name, repeated("a = { a.a.a.a = ", 250) + "1" + repeated(" }", 250) + "\n");
  }
}

TEST(Fuzzed, NestedJson) {
  read("poni", "poni_version: 2\nDetector: x\nDetector_config: {\"pixel1\": " +
                   repeated("[", 300'000) + repeated("]", 300'000) + "}\n");
}

INSTANTIATE_TEST_SUITE_P(Fuzzed, Replay, testing::ValuesIn(readers()),
                         [](const auto &test) { return test.param.name; });

} // namespace
