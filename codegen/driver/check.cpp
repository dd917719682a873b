// check.cpp - judges a kernel file: with carets for people, as JSON for editors; and mends it.
#include "codegen/frontend/frontend.h"
#include "driver.h"
#include "schedules/shown.h"
#include <filesystem>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace facet::driver {
namespace {

namespace fs = std::filesystem;
using OrderedJson = nlohmann::ordered_json;

/// A part of the file: lines and columns count from 1, columns in bytes; the end is behind it.
template <class Part> OrderedJson range(const Part &part) {
  return {{"line", part.line},
          {"column", part.column},
          {"end_line", part.endLine},
          {"end_column", part.endColumn}};
}

OrderedJson jsonOf(const std::string &path, const frontend::Remark &message) {
  OrderedJson json = {{"file", path}};
  json.update(range(message));
  json["severity"] = message.severity;
  json["id"] = message.id;
  json["message"] = message.text;
  json["why"] = message.why;
  json["obvious"] = message.obvious;
  json["fixes"] = OrderedJson::array();
  for (const frontend::Change &change : message.fix) {
    json["fixes"].push_back(range(change));
    json["fixes"].back()["text"] = change.text;
  }
  return json;
}

std::string shown(const std::string &text) { return text.empty() ? "nothing" : "'" + text + "'"; }

/// Writes the file with what has one obvious remedy mended, and says each to standard error. What a
/// remedy uncovers is mended too, a few times over.
void fix(const std::string &path) {
  for (int round = 0; round < 10; ++round) {
    const frontend::FileKernels parsed = frontend::parse(path, frontend::Say::Collect);
    std::vector<std::size_t> taken;
    const std::string mended = frontend::mend(parsed.text, parsed.messages, taken);
    if (mended == parsed.text)
      return;
    const fs::path file = fs::canonical(path); // not a link to it
    const fs::perms mode = fs::status(file).permissions();
    writeText(file, mended);
    fs::permissions(file, mode);
    for (const std::size_t k : taken)
      for (const frontend::Change &change : parsed.messages[k].fix)
        fmt::print(stderr, "{}:{}:{}: mended: {} becomes {} [{}]\n", schedules::shown(path),
                   change.line, change.column,
                   shown(parsed.text.substr(change.offset, change.length)), shown(change.text),
                   parsed.messages[k].id);
  }
}

} // namespace

void check(const Options &options) {
  const std::string kind = fs::path(options.input).extension();
  if ((!options.fix.empty() || !options.json.empty()) && kind == ".fir")
    throw ir::Error{fmt::format("{}: --fix and --json are for kernel files in C++", options.input)};
  if (!options.fix.empty())
    fix(options.input);
  if (options.json.empty())
    return checkInput(options.input, options.kernel);
  const frontend::FileKernels parsed = frontend::parse(options.input, frontend::Say::Collect);
  OrderedJson all = {{"diagnostics", OrderedJson::array()}};
  for (const frontend::Remark &message : parsed.messages)
    all["diagnostics"].push_back(jsonOf(options.input, message));
  writeText(options.output, all.dump(2, ' ', false, OrderedJson::error_handler_t::replace) + "\n");
  if (parsed.errors > 0)
    throw ReportedError{};
}

} // namespace facet::driver
