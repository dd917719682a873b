// entries.h - entries, files and folders for the tests of schedule files.
#pragma once
#include "runtime/engine/kernel/tuned.h"
#include "tests/support/folder.h"
#include "tests/unit/run/refusal.h"
#include <facet/runtime/error.h>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>

namespace facet::test {
using namespace facet::runtime;
namespace fs = std::filesystem;

/// Knobs of born tuned here and now.
inline TunedEntry tunedHere(const std::string &klass = "f32", int tileY = 6) {
  TunedEntry entry;
  entry.key = {"born", "0123456789abcdef", "direct", klass, "avx2", "product", "real"};
  entry.knobs.tileY = tileY;
  entry.throughput = 5.5e9;
  entry.before = 5e9;
  sign(entry);
  return entry;
}

/// A folder of its own, removed at the end.
class SchedulesTest : public ::testing::Test {
protected:
  void write(const std::string &text) const { std::ofstream(file) << text; }
  std::string text() const { return textOf(file); }
  std::vector<TunedEntry> read() {
    refused.clear();
    return readSchedules(file, [&](const std::string &why) { refused += why + "\n"; });
  }
  /// The file of one good entry, with `from` replaced by `to`.
  void writeWith(const std::string &from, const std::string &to) {
    fs::remove(file);
    mergeSchedules(file, {tunedHere()});
    std::string all = text();
    const std::size_t at = all.find(from);
    ASSERT_NE(at, std::string::npos) << from;
    write(all.replace(at, from.size(), to));
  }
  const Folder own;
  const fs::path &folder = own.path;
  const std::string file = folder / "schedules.toml";
  std::string refused;
};

} // namespace facet::test
