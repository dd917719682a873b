// schedule_file.cpp - schedule files (TOML): entries are read, and each word, number and knob is
// checked. Entries are merged in, under a lock, into a new file that is renamed when it is whole.
// Also which of them hold here.
#include "runtime/engine/device/device.h"
#include "runtime/engine/kernel/inside.h"
#include "runtime/engine/kernel/tuned.h"
#include "runtime/engine/system/files.h"
#include "runtime/engine/system/json.h"
#include "runtime/engine/system/kept.h"
#include "runtime/engine/system/machine.h"
#include "runtime/engine/system/places.h"
#include "runtime/engine/system/reader.h"
#include "runtime/engine/system/text.h"
#include "runtime/engine/system/toml.h"
#include "schedules/targets.h"
#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <map>
#include <sstream>

#include <unistd.h>

namespace facet::runtime {
namespace {

namespace fs = std::filesystem;
using schedules::KnobInfo;

// What an entry holds
// ---------------------------------------------------------------------------
/// A word of an entry, where its text goes, and whether it must be there.
struct Word {
  const char *name;
  std::string *to;
  bool needed = true;
};
/// `device` is needed for targets of devices alone, so it comes after the target.
std::vector<Word> wordsOf(TunedEntry &entry) {
  std::vector<Word> words;
  for (const auto &[word, member] : keyWords)
    words.push_back({word, &(entry.key.*member)});
  words.insert(words.end(), {{"neighbours", &entry.neighbours, false},
                             {"device", &entry.device, entry.key.onDevice()},
                             {"cpu", &entry.cpu},
                             {"facet", &entry.facet},
                             {"halide", &entry.halide},
                             {"date", &entry.date}});
  return words;
}
/// The numbers of an entry, TQP/s; they may be missing.
constexpr std::pair<const char *, double TunedEntry::*> numbers[] = {
    {"throughput", &TunedEntry::throughput}, {"before", &TunedEntry::before}};

/// The legal values of a word; empty if any text will do.
std::vector<std::string> legalFor(const std::string &word) {
  if (word == "target") {
    std::vector<std::string> names;
    for (const schedules::TargetInfo &target : schedules::targetTable())
      names.emplace_back(target.name);
    return names;
  }
  static const std::map<std::string, std::vector<std::string>> legal = {
      {"algorithm", {"direct", "separable"}},
      {"class", {"f32", "f32-careful", "f64"}},
      {"grid", {"product", "points"}},
      {"q", {"real", "complex"}}};
  const auto found = legal.find(word);
  return found == legal.end() ? std::vector<std::string>() : found->second;
}

// Reading
// ---------------------------------------------------------------------------
/// Why one entry cannot be used, and the line.
struct SyntaxError {
  toml::source_index line;
  std::string why;
};
[[noreturn]] void fail(const toml::node &node, const std::string &why) {
  throw SyntaxError{node.source().begin.line, why};
}

/// An entry and its lines in the file, [begin, end), from 0; comments above it are among them.
struct Block {
  TunedEntry entry;
  bool whole = false; // it could be read
  std::size_t begin = 0, end = 0;
};

/// `left` gets names of knobs that facet has no more, which are left out.
void readKnob(const std::string &name, const toml::node &node, TunedEntry &entry,
              std::vector<std::string> &left) {
  if (const schedules::RetiredKnob *old = schedules::findRetired(name)) {
    if (node.value_exact<std::int64_t>() != old->value)
      left.push_back(name);
    return;
  }
  const KnobInfo *knob = schedules::findKnob(name);
  if (knob == nullptr) {
    std::vector<std::string> names;
    for (const KnobInfo &each : schedules::knobTable())
      names.emplace_back(each.name);
    fail(node, fmt::format("no knob '{}': {}", name, suggestion(name, names)));
  }
  if (!entry.key.uses(*knob))
    fail(node, fmt::format("{} is no knob of {} sums{}", name, entry.key.algorithm,
                           entry.key.onDevice() ? " of devices" : ""));
  if (!node.is_integer())
    fail(node, fmt::format("{} is to be a whole number", name));
  const std::int64_t value = *node.value<std::int64_t>();
  if (value < 0 || value > knob->most || !schedules::isLegal(*knob, static_cast<int>(value)))
    fail(node, fmt::format("{}={}: legal are {}", name, value, schedules::legalValues(*knob)));
  entry.knobs.*knob->member = static_cast<int>(value);
}

/// Reads the key first, since its target decides what else is needed.
void readWords(const toml::table &table, TunedEntry &entry) {
  for (std::size_t k = 0; k < wordsOf(entry).size(); ++k) {
    const auto [name, to, needed] = wordsOf(entry)[k];
    const toml::node *node = table.get(name);
    if (node == nullptr && needed)
      fail(table, fmt::format("it has no '{}'", name));
    if (node == nullptr)
      continue;
    if (!node->is_string())
      fail(*node, fmt::format("'{}' is to be a text", name));
    *to = *node->value<std::string>();
    const std::vector<std::string> legal = legalFor(name);
    if (!legal.empty() && std::ranges::find(legal, *to) == legal.end())
      fail(*node, fmt::format("{} = \"{}\": {}", name, *to, suggestion(*to, legal)));
  }
  for (const auto &[name, member] : numbers)
    if (const toml::node *node = table.get(name)) {
      if (!node->is_number())
        fail(*node, fmt::format("'{}' is to be a number", name));
      entry.*member = numberOf(*node);
    }
}

void readEntry(const toml::table &table, TunedEntry &entry, std::vector<std::string> &left) {
  readWords(table, entry);
  const toml::node *knobs = table.get("knobs");
  if (knobs == nullptr || !knobs->is_table())
    fail(knobs != nullptr ? *knobs : table, "it has no table 'knobs'");
  for (const auto &[key, value] : *knobs->as_table())
    readKnob(std::string(key.str()), value, entry, left);
  const schedules::TargetInfo *target = schedules::findTarget(entry.key.target);
  if (const std::string wrong = schedules::problem(entry.knobs, target ? target->vectorBytes : 0);
      !wrong.empty())
    fail(*knobs, wrong);
  for (const auto &[key, value] : table) {
    const std::string_view name = key.str();
    if (name != "knobs" &&
        std::ranges::none_of(wordsOf(entry), [&](const Word &w) { return name == w.name; }) &&
        std::ranges::none_of(numbers, [&](const auto &n) { return name == n.first; }))
      fail(value,
           fmt::format("unknown word '{}'{}", key.str(),
                       schedules::findKnob(key.str()) ? ": knobs belong in knobs = { ... }" : ""));
  }
}

/// The whole file, "" if it is not there. Throws Error if it cannot be read.
std::string readText(const std::string &path) {
  std::error_code none;
  if (path.empty() || !fs::exists(path, none))
    return "";
  std::string text;
  if (fs::is_directory(path, none) || !readFile(path, text))
    throw Error(path, "cannot be read", "", Exit::Failed);
  return text;
}

std::vector<std::string> linesOf(const std::string &text) {
  std::vector<std::string> lines;
  std::istringstream from(text);
  for (std::string line; std::getline(from, line);)
    lines.push_back(line);
  return lines;
}

bool begins(const std::string &line, std::string_view with) {
  const std::size_t at = line.find_first_not_of(" \t");
  return at != std::string::npos && std::string_view(line).substr(at).starts_with(with);
}

/// Throws Error, with its line, if the text is no TOML or holds what is no schedule.
toml::table parsed(const std::string &path, const std::string &text) {
  toml::table root;
  try {
    root = parseToml(text, path);
  } catch (const toml::parse_error &e) {
    throw Error(fmt::format("{}:{}", path, e.source().begin.line),
                fmt::format("not TOML: {}", e.description()), "mend the file, or remove it");
  }
  // A machine's file (facet machines --save) has its profile beside the schedules.
  constexpr std::array ofProfile{"cpu", "facet", "date", "threads", "nufft", "speed"};
  for (const auto &[key, value] : root)
    if (std::ranges::find(ofProfile, key.str()) == ofProfile.end() &&
        (key.str() != "schedule" || !value.is_array_of_tables()))
      throw Error(fmt::format("{}:{}", path, value.source().begin.line),
                  fmt::format("'{}' does not belong in a schedule file", key.str()),
                  "entries begin with [[schedule]]; facet tune writes them");
  return root;
}

/// The entries of `text`, in order; what cannot be read is named to `refused`. Throws as parsed,
/// and if an entry is not written as [[schedule]].
std::vector<Block> readBlocks(const std::string &path, const std::string &text,
                              const Say &refused) {
  const toml::table root = parsed(path, text);
  const std::vector<std::string> lines = linesOf(text);
  std::vector<Block> blocks;
  const toml::array *entries = root["schedule"].as_array();
  for (std::size_t i = 0; entries != nullptr && i < entries->size(); ++i) {
    const toml::table &table = *entries->get(i)->as_table();
    const std::size_t line = table.source().begin.line; // from 1
    if (line == 0 || line > lines.size() || !begins(lines[line - 1], "[["))
      throw Error(fmt::format("{}:{}", path, line),
                  "an entry is to begin with [[schedule]] on a line of its own");
    Block block;
    block.begin = line - 1;
    block.end = lines.size();
    while (block.begin > 0 && begins(lines[block.begin - 1], "#"))
      --block.begin;
    if (!blocks.empty())
      blocks.back().end = block.begin;
    block.entry.line = static_cast<int>(line);
    std::vector<std::string> left;
    try {
      readEntry(table, block.entry, left);
      block.whole = true;
      if (!left.empty())
        refused(
            fmt::format("{}:{}: schedule {} is used without {}: facet has no such knob any more",
                        path, line, i + 1, fmt::join(left, ", ")));
    } catch (const SyntaxError &wrong) {
      refused(
          fmt::format("{}:{}: schedule {} is not used: {}", path, wrong.line, i + 1, wrong.why));
    }
    blocks.push_back(std::move(block));
  }
  return blocks;
}

// Merging
// ---------------------------------------------------------------------------
constexpr const char *elsewhere =
    "write to a file of your own with -o FILE, or set FACET_SCHEDULES";

std::string blockOf(TunedEntry entry) {
  std::string text = "[[schedule]]\n";
  for (const auto &[name, from, needed] : wordsOf(entry)) {
    if (!needed && (from->empty() || from == &entry.device))
      continue;
    text += fmt::format("{} = {}\n", name, Json(*from).dump()); // escaped as TOML has it
    if (from != &entry.key.q)
      continue;
    std::string knobs; // "tile_y=4,..." to a TOML table
    for (const char c : schedules::print(entry.knobs, entry.key.separable(), entry.key.onDevice()))
      knobs += c == '=' ? " = " : c == ',' ? ", " : std::string(1, c);
    text += fmt::format("knobs = {{ {} }}\n", knobs);
    for (const auto &[word, member] : numbers)
      text += fmt::format("{} = {:.4e}\n", word, entry.*member);
  }
  return text;
}

bool replaces(const TunedEntry &entry, const TunedEntry &old) {
  const bool sameMachine = entry.key.onDevice() ? entry.device == old.device : entry.cpu == old.cpu;
  return entry.key.sameVariant(old.key) && sameMachine && entry.facet == old.facet &&
         entry.halide == old.halide;
}

std::string merged(const std::string &path, const std::vector<TunedEntry> &entries) {
  const std::string old = readText(path);
  const std::vector<std::string> lines = linesOf(old);
  std::vector<bool> gone(lines.size());
  for (const Block &block : readBlocks(path, old, [](const std::string &) {}))
    if (block.whole && std::ranges::any_of(entries, [&](const TunedEntry &entry) {
          return replaces(entry, block.entry);
        }))
      for (std::size_t k = block.begin; k < block.end; ++k)
        gone[k] = true;
  std::string text = lines.empty() ? "# facet's schedules: knobs found by `facet tune`, and where "
                                     "they hold. See docs/schedules.md.\n"
                                   : "";
  for (std::size_t k = 0; k < lines.size(); ++k)
    if (!gone[k])
      text += lines[k] + "\n";
  for (const TunedEntry &entry : entries)
    text += (text.ends_with("\n\n") ? "" : "\n") + blockOf(entry);
  return text;
}

/// Follows a link, so that it stays one.
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

std::vector<TunedEntry> readSchedules(const std::string &path, const Say &refused) {
  std::vector<TunedEntry> entries;
  try {
    for (Block &block : readBlocks(path, readText(path), refused))
      if (block.whole)
        entries.push_back(std::move(block.entry));
  } catch (const Error &e) {
    refused(e.what());
  }
  return entries;
}

void mergeSchedules(const std::string &path, const std::vector<TunedEntry> &entries) {
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

// What holds here
// ---------------------------------------------------------------------------
namespace {

/// "of another CPU, ...", or device; "" if the entry was tuned on this machine.
std::string otherMachine(const TunedEntry &entry) {
  static const std::string cpu = cpuId();
  if (!entry.key.onDevice())
    return entry.cpu == cpu ? "" : "of another CPU, " + entry.cpu;
  const std::string here = deviceSignature(entry.key.target);
  if (entry.device == here)
    return "";
  return fmt::format("of another device, {}{}", entry.device.empty() ? "not named" : entry.device,
                     here.empty() ? "; here is none" : "");
}

std::string otherVersion(const TunedEntry &entry) {
  if (entry.facet != FACET_VERSION)
    return fmt::format("tuned with facet {}, this is {}", entry.facet, FACET_VERSION);
  if (entry.halide != schedules::halideVersion())
    return fmt::format("tuned with Halide {}, this facet has {}", entry.halide,
                       schedules::halideVersion());
  return "";
}

ScheduleFile read(const std::string &path, bool shipped, bool devices) {
  static FileCache<ScheduleFile> kept;
  ScheduleFile file = *kept.get(path, [&] {
    ScheduleFile all{path, false, {}, {}};
    all.entries = readSchedules(path, [&](const std::string &why) { all.refused.push_back(why); });
    return all;
  });
  file.shipped = shipped;
  if (!devices)
    std::erase_if(file.entries, [](const TunedEntry &t) { return t.key.onDevice(); });
  for (TunedEntry &entry : file.entries) {
    const std::string machine = otherMachine(entry), version = otherVersion(entry);
    entry.refusal = machine.empty() ? version : machine;
    entry.stale = machine.empty() && !version.empty();
    entry.shipped = shipped;
    entry.from = shipped ? fmt::format("shipped profile {} of {}", fs::path(path).stem().string(),
                                       entry.date)
                         : "tuned on " + entry.date;
  }
  return file;
}

} // namespace

bool TunedKey::onDevice() const { return isDeviceTarget(target); }

bool TunedKey::sameVariant(const TunedKey &other) const {
  return std::ranges::all_of(keyWords, [&](const auto &word) {
    return word.second == &TunedKey::kernel || this->*word.second == other.*word.second;
  });
}

std::string TunedKey::text() const {
  return fmt::format("{}, {}, {}, {}, {}, {}", kernel, algorithm, klass, target, grid, q);
}

std::string deviceSignature(const std::string &target) {
  const schedules::TargetInfo *info = schedules::findTarget(target);
  if (info == nullptr || !schedules::isDevice(*info))
    return "";
  const DeviceInfo *device = chosenDevice(info->architecture == "cuda" ? FACET_CUDA : FACET_OPENCL);
  return device == nullptr
             ? ""
             : fmt::format("{}, {}, {}", device->name, device->version, device->driver);
}

void sign(TunedEntry &entry) {
  entry.device = deviceSignature(entry.key.target);
  entry.facet = FACET_VERSION;
  entry.halide = schedules::halideVersion();
  entry.cpu = cpuId();
  entry.date = today();
}

std::string schedulesPath() {
  const char *own = std::getenv("FACET_SCHEDULES"); // empty: turned off
  return own != nullptr ? own : settingsFile("schedules.toml");
}

std::vector<ScheduleFile> scheduleFiles(const std::string &asked, bool devices) {
  const char *own = std::getenv("FACET_SCHEDULES");
  if (asked == "none" || (asked.empty() && own != nullptr && *own == 0))
    return {};
  if (!asked.empty()) {
    if (std::error_code none; !fs::is_regular_file(asked, none))
      throw Error(asked, "no such schedule file", "--schedules FILE, or --schedules none");
    return {read(asked, false, devices)};
  }
  std::vector<ScheduleFile> files{read(schedulesPath(), false, devices)};
  for (const std::string &path : shippedSchedules())
    files.push_back(read(path, true, devices));
  return files;
}

const TunedEntry *Schedules::find(const TunedKey &key) const {
  const auto found =
      std::ranges::find_if(held, [&](const TunedEntry &t) { return t.key.sameVariant(key); });
  return found == held.end() ? nullptr : &*found;
}

Schedules schedulesHere(const std::string &asked, const Say &refused, bool devices) {
  Schedules all;
  for (const ScheduleFile &file : scheduleFiles(asked, devices)) {
    if (refused)
      std::ranges::for_each(file.refused, refused);
    for (const TunedEntry &entry : file.entries)
      if (entry.stale)
        all.stale.push_back(entry);
      else if (entry.refusal.empty() && all.find(entry.key) == nullptr)
        all.held.push_back(entry);
  }
  std::erase_if(all.stale, [&](const TunedEntry &entry) { return all.find(entry.key) != nullptr; });
  return all;
}

std::string schedulesJson(const std::vector<TunedEntry> &entries, const std::string &targets,
                          const std::string &q) {
  const std::string list = "," + targets + ",";
  Json root;
  for (const TunedEntry &entry : entries) {
    if ((!targets.empty() && list.find("," + entry.key.target + ",") == std::string::npos) ||
        (!q.empty() && entry.key.q != q))
      continue;
    Json one;
    for (const auto &[word, member] : keyWords)
      if (member != &TunedKey::kernel)
        one[word] = entry.key.*member;
    one["from"] = entry.from;
    for (const schedules::KnobInfo &knob : schedules::knobTable())
      if (entry.key.uses(knob))
        one["knobs"][std::string(knob.name)] = entry.knobs.*knob.member;
    root["schedules"].push_back(std::move(one));
  }
  return root.empty() ? "" : root.dump(1) + "\n";
}

} // namespace facet::runtime
