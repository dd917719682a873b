// read.cpp - schedule files (TOML) to entries, each checked: words, numbers, knobs and their
// ranges.
#include "runtime/files/text.h"
#include "runtime/tuning/files/words.h"
#include "schedules/targets.h"
#include <algorithm>
#include <facet/runtime/kernel.h>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <sstream>
#include <toml++/toml.h>

namespace facet::runtime {
namespace {

using schedules::KnobInfo;

/// Why one entry cannot be used, and the line.
struct Wrong {
  toml::source_index line;
  std::string why;
};
[[noreturn]] void fail(const toml::node &node, const std::string &why) {
  throw Wrong{node.source().begin.line, why};
}

std::string known(const std::vector<std::string> &words, const std::string &word) {
  return suggestion(word, words);
}

/// Bytes of the widest vector of a target; 0 where there is no such.
int vectorBytesOf(std::string_view target) {
  const schedules::TargetInfo *info = schedules::findTarget(target);
  return info ? info->vectorBytes : 0;
}

/// The legal words of a key; empty where any text will do.
std::vector<std::string> legalWords(const std::string &key) {
  if (key == "algorithm")
    return {"direct", "separable"};
  if (key == "class")
    return {"f32", "f32-careful", "f64"};
  if (key == "grid")
    return {"product", "points"};
  if (key == "q")
    return {"real", "complex"};
  if (key != "target")
    return {};
  std::vector<std::string> names;
  for (const schedules::TargetInfo &target : schedules::targetTable())
    names.emplace_back(target.name);
  return names;
}

/// `left`: names of knobs that facet has no more, which are left out.
void readKnob(const std::string &name, const toml::node &node, Tuned &entry,
              std::vector<std::string> &left) {
  const KnobInfo *knob = schedules::findKnob(name);
  if (const schedules::RetiredKnob *old = schedules::findRetired(name)) {
    if (node.value<std::int64_t>() != old->value)
      left.push_back(name);
    return;
  }
  if (knob == nullptr) {
    std::vector<std::string> names;
    for (const KnobInfo &each : schedules::knobTable())
      names.emplace_back(each.name);
    fail(node, fmt::format("no knob '{}': {}", name, known(names, name)));
  }
  const bool device = isDeviceTarget(entry.key.target);
  if (!schedules::isUsed(*knob, entry.key.algorithm == "separable", device))
    fail(node, fmt::format("{} is no knob of {} sums{}", name, entry.key.algorithm,
                           device ? " of devices" : ""));
  if (!node.is_integer())
    fail(node, fmt::format("{} is to be a whole number", name));
  const std::int64_t value = *node.value<std::int64_t>();
  if (value < 0 || value > knob->most || !schedules::isLegal(*knob, static_cast<int>(value)))
    fail(node, fmt::format("{}={}: legal are {}", name, value, schedules::legalValues(*knob)));
  entry.knobs.*knob->member = static_cast<int>(value);
}

void readEntry(const toml::table &table, Tuned &entry, std::vector<std::string> &left) {
  const auto words = wordsOf(entry);
  const auto numbers = numbersOf(entry);
  for (const auto &[key, to] : words) {
    const toml::node *node = table.get(key);
    const bool needed =
        to == &entry.device ? isDeviceTarget(entry.key.target) : to != &entry.neighbours;
    if (node == nullptr && !needed)
      continue;
    if (node == nullptr)
      fail(table, fmt::format("it has no '{}'", key));
    if (!node->is_string())
      fail(*node, fmt::format("'{}' is to be a text", key));
    *to = *node->value<std::string>();
    const std::vector<std::string> legal = legalWords(key);
    if (!legal.empty() && std::find(legal.begin(), legal.end(), *to) == legal.end())
      fail(*node, fmt::format("{} = \"{}\": {}", key, *to, known(legal, *to)));
  }
  for (const auto &[key, to] : numbers)
    if (const toml::node *node = table.get(key)) {
      if (!node->is_number())
        fail(*node, fmt::format("'{}' is to be a number", key));
      *to = *node->value<double>();
    }
  const toml::node *knobs = table.get("knobs");
  if (knobs == nullptr || !knobs->is_table())
    fail(knobs != nullptr ? *knobs : table, "it has no table 'knobs'");
  for (const auto &[key, value] : *knobs->as_table())
    readKnob(std::string(key.str()), value, entry, left);
  if (const std::string wrong = schedules::problem(entry.knobs, vectorBytesOf(entry.key.target));
      !wrong.empty())
    fail(*knobs, wrong);
  for (const auto &[key, value] : table) {
    const std::string name(key.str());
    const auto is = [&](const auto &pair) { return name == pair.first; };
    if (name != "knobs" && std::none_of(words.begin(), words.end(), is) &&
        std::none_of(numbers.begin(), numbers.end(), is))
      fail(value,
           fmt::format("unknown word '{}'{}", name,
                       schedules::findKnob(name) ? ": knobs belong in knobs = { ... }" : ""));
  }
}

std::vector<std::string> linesOf(const std::string &text) {
  std::vector<std::string> lines;
  std::istringstream from(text);
  for (std::string line; std::getline(from, line);)
    lines.push_back(line);
  return lines;
}

bool begins(const std::string &line, const char *with) {
  const std::size_t at = line.find_first_not_of(" \t");
  return at != std::string::npos &&
         line.compare(at, std::char_traits<char>::length(with), with) == 0;
}

/// The table of an entry begins at its [[schedule]]; 1-based, 0 where it is written otherwise.
std::size_t headLine(const std::vector<std::string> &lines, const toml::table &table) {
  const std::size_t line = table.source().begin.line;
  if (line == 0 || line > lines.size())
    return 0;
  return begins(lines[line - 1], "[[") ? line : 0;
}

} // namespace

std::string readText(const std::string &path) {
  std::error_code none;
  if (path.empty() || !std::filesystem::exists(path, none))
    return "";
  std::ifstream file(path);
  if (!file || std::filesystem::is_directory(path, none))
    throw Error(path, "cannot be read", "", Exit::Failed);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<Block> readBlocks(const std::string &path, const std::string &text,
                              const Say &refused) {
  toml::table root;
  try {
    root = toml::parse(text, path);
  } catch (const toml::parse_error &e) {
    throw Error(fmt::format("{}:{}", path, e.source().begin.line),
                fmt::format("not TOML: {}", e.description()), "mend the file, or remove it");
  }
  for (const auto &[key, value] : root)
    if (key.str() != "schedule" || !value.is_array_of_tables())
      throw Error(fmt::format("{}:{}", path, value.source().begin.line),
                  fmt::format("'{}' does not belong in a schedule file", key.str()),
                  "entries begin with [[schedule]]; facet tune writes them");
  const std::vector<std::string> lines = linesOf(text);
  std::vector<Block> blocks;
  const toml::array *entries = root["schedule"].as_array();
  for (std::size_t i = 0; entries != nullptr && i < entries->size(); ++i) {
    const toml::table &table = *entries->get(i)->as_table();
    Block block;
    const std::size_t line = headLine(lines, table);
    if (line == 0)
      throw Error(fmt::format("{}:{}", path, table.source().begin.line),
                  "an entry is to begin with [[schedule]] on a line of its own");
    for (block.begin = line - 1; block.begin > 0 && begins(lines[block.begin - 1], "#");)
      --block.begin; // what is said of an entry goes with it
    block.end = lines.size();
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
    } catch (const Wrong &wrong) {
      refused(
          fmt::format("{}:{}: schedule {} is not used: {}", path, wrong.line, i + 1, wrong.why));
    }
    blocks.push_back(std::move(block));
  }
  return blocks;
}

std::vector<Tuned> readSchedules(const std::string &path, const Say &refused) {
  std::vector<Tuned> entries;
  try {
    for (Block &block : readBlocks(path, readText(path), refused))
      if (block.whole)
        entries.push_back(std::move(block.entry));
  } catch (const Error &e) {
    refused(e.what());
  }
  return entries;
}

} // namespace facet::runtime
