// merge.cpp - entries into a schedule file: under a lock, into a new file, renamed when whole.
#include "runtime/files/files.h"
#include "runtime/tuning/files/words.h"
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <facet/runtime/kernel.h>
#include <filesystem>
#include <fmt/format.h>
#include <sstream>
#include <unistd.h>

namespace facet::runtime {
namespace {

namespace fs = std::filesystem;
constexpr const char *elsewhere =
    "write to a file of your own with -o FILE, or set FACET_SCHEDULES";

std::string tomlText(const std::string &text) {
  std::string quoted = "\"";
  for (const char c : text)
    if (const auto code = static_cast<unsigned char>(c); code < 0x20 || code == 0x7f)
      quoted += fmt::format("\\u{:04x}", code);
    else
      quoted += (c == '"' || c == '\\' ? "\\" : "") + std::string(1, c);
  return quoted + "\"";
}

std::string blockOf(const Tuned &given) {
  Tuned entry = given;
  std::string text = "[[schedule]]\n";
  const bool device = isDeviceTarget(entry.key.target);
  for (const auto &[key, value] : wordsOf(entry)) {
    if (value == &entry.device ? !device : value == &entry.neighbours && value->empty())
      continue;
    text += fmt::format("{} = {}\n", key, tomlText(*value));
    if (value != &entry.key.q)
      continue;
    std::string knobs; // "tile_y=4,..." to a TOML table
    for (const char c : schedules::print(entry.knobs, entry.key.algorithm == "separable", device))
      knobs += c == '=' ? " = " : c == ',' ? ", " : std::string(1, c);
    text += fmt::format("knobs = {{ {} }}\n", knobs);
    for (const auto &[name, number] : numbersOf(entry))
      text += fmt::format("{} = {:.4e}\n", name, *number);
  }
  return text;
}

bool replaces(const Tuned &entry, const Tuned &old) {
  const bool where =
      isDeviceTarget(entry.key.target) ? entry.device == old.device : entry.cpu == old.cpu;
  return entry.key.sameVariant(old.key) && where && entry.facet == old.facet &&
         entry.halide == old.halide;
}

std::string merged(const std::string &path, const std::vector<Tuned> &entries) {
  const std::string old = readText(path);
  const std::vector<Block> blocks = readBlocks(path, old, [](const std::string &) {});
  std::istringstream from(old);
  std::vector<std::string> lines;
  for (std::string line; std::getline(from, line);)
    lines.push_back(line);
  for (const Block &block : blocks) // from each that is replaced its lines go
    if (block.whole && std::any_of(entries.begin(), entries.end(), [&](const Tuned &entry) {
          return replaces(entry, block.entry);
        }))
      std::fill(lines.begin() + static_cast<std::ptrdiff_t>(block.begin),
                lines.begin() + static_cast<std::ptrdiff_t>(block.end), "\1");
  std::string text;
  for (const std::string &line : lines)
    if (line != "\1")
      text += line + "\n";
  if (lines.empty())
    text = "# facet's schedules: knobs found by `facet tune`, and where they hold. "
           "See docs/schedules.md.\n";
  for (const Tuned &entry : entries)
    text += (text.ends_with("\n\n") ? "" : "\n") + blockOf(entry);
  return text;
}

/// A link is followed, so that it stays one.
std::string target(const std::string &path) {
  std::error_code none;
  const fs::path real = fs::weakly_canonical(path, none);
  return none || real.empty() ? path : real.string();
}

FileLock lockOf(const std::string &path) {
  if (path.empty())
    throw Error("facet tune", "there is no home to keep schedules in", elsewhere, Exit::Failed);
  const fs::path folder = fs::absolute(path).parent_path();
  std::error_code failed;
  fs::create_directories(folder, failed);
  if (failed)
    throw Error(folder, "the folder cannot be made: " + failed.message(), elsewhere, Exit::Failed);
  if (access(folder.c_str(), W_OK) != 0)
    throw Error(path, std::string("cannot be written: ") + std::strerror(errno), elsewhere,
                Exit::Failed);
  return FileLock(path + ".lock", elsewhere);
}

} // namespace

void mergeSchedules(const std::string &path, const std::vector<Tuned> &entries) {
  const std::string file = target(path);
  const FileLock lock = lockOf(file);
  writeText(file, merged(file, entries));
}

void checkSchedulesWritable(const std::string &path) {
  const std::string file = target(path);
  const FileLock lock = lockOf(file);
  merged(file, {});
  const PendingFile trial(file);
}

} // namespace facet::runtime
