// value.cpp - values of an experiment file, read with checks and written.
#include "runtime/scattering/experiment/value.h"
#include "runtime/engine/system/text.h"
#include "runtime/engine/system/toml.h"
#include <filesystem>
#include <fmt/format.h>
#include <sstream>

namespace facet::runtime::schema {
namespace fs = std::filesystem;

void Source::fail(const toml::node &at, const std::string &what, const std::string &help) const {
  throw Error(fmt::format("{}:{}", file, at.source().begin.line), what, help);
}

bool Source::has(std::initializer_list<const char *> keys) const {
  return std::ranges::any_of(keys, [&](const char *key) { return find(key) != nullptr; });
}

std::optional<Entry> Source::at(const std::string &key) const {
  const toml::node *node = find(key);
  return node == nullptr ? std::nullopt : std::optional<Entry>({*this, key, *node});
}

std::vector<Entry> Source::entries() const {
  std::vector<Entry> all;
  for (const auto &[key, value] : toml)
    all.push_back({*this, std::string(key.str()), value});
  return all;
}

void Source::refuseUnknown(const std::vector<std::string> &known) const {
  for (const auto &[key, value] : toml)
    if (const std::string word(key.str()); std::ranges::find(known, word) == known.end())
      throw Error(fmt::format("{}:{}", file, key.source().begin.line),
                  fmt::format("unknown key '{}'{}", word,
                              name.empty() ? "" : fmt::format(" in [{}]", name)),
                  suggestion(word, known));
}

double Source::finite(const toml::node &at, const std::string &key) const {
  const double number = numberOf(at);
  if (!std::isfinite(number))
    fail(at, fmt::format("'{}' = {} is not a finite number", key, number));
  return number;
}

Source Entry::sub(const std::string &help) const {
  if (!node.is_table())
    fail(fmt::format("'{}' is to be a table", key),
         help.empty() ? fmt::format("[{}] on a line by itself", key) : help);
  return {*node.as_table(), key, in.file};
}

std::vector<Source> Entry::tables() const {
  if (const toml::table *one = node.as_table())
    return {{*one, key, in.file}};
  if (!node.is_array())
    fail(fmt::format("'{}' is to be tables", key));
  std::vector<Source> all;
  for (const toml::node &one : *node.as_array()) {
    if (!one.is_table())
      in.fail(one, fmt::format("'{}' is to be tables", key));
    all.push_back({*one.as_table(), key, in.file});
  }
  return all;
}

std::string Entry::path() const {
  std::string path;
  read(*this, path);
  if (path.empty() || fs::path(path).is_absolute())
    return path;
  return (fs::path(in.file).parent_path() / path).lexically_normal();
}

void read(const Entry &at, std::string &to) {
  if (!at.node.is_string())
    at.fail(fmt::format("'{}' is to be a text in quotes", at.key));
  to = *at.node.value<std::string>();
}

void read(const Entry &at, double &to) {
  if (!at.node.is_number())
    at.fail(fmt::format("'{}' is to be a number", at.key));
  to = at.in.finite(at.node, at.key);
}

void read(const Entry &at, bool &to) {
  if (!at.node.is_boolean())
    at.fail(fmt::format("'{}' is to be true or false", at.key));
  to = *at.node.value<bool>();
}

void read(const Entry &at, std::vector<double> &to) {
  to.clear();
  if (at.node.is_number())
    to.push_back(at.in.finite(at.node, at.key));
  else if (!at.node.is_array())
    at.fail(fmt::format("'{}' is to be a number or a list of numbers", at.key));
  else
    for (const toml::node &entry : *at.node.as_array()) {
      if (!entry.is_number())
        at.in.fail(entry, fmt::format("'{}' is to be a list of numbers", at.key));
      to.push_back(at.in.finite(entry, at.key));
    }
}

std::vector<double> readNumbers(const Entry &at, std::size_t count) {
  std::vector<double> list;
  if (at.node.is_array())
    read(at, list);
  if (list.size() != count)
    at.fail(fmt::format("'{}' is to be a list of {} numbers", at.key, count));
  return list;
}

std::int64_t readWhole(const Entry &at, std::uint64_t most) {
  const auto value = at.node.value_exact<std::int64_t>();
  if (!value || *value < 0 || static_cast<std::uint64_t>(*value) > most)
    at.fail(fmt::format("'{}' is to be a whole number, 0 or more{}", at.key,
                        value && *value > 0 ? fmt::format(", to {}", most) : ""));
  return *value;
}

std::string inlineTable(const std::vector<std::string> &parts) {
  return parts.empty() ? "" : fmt::format("{{ {} }}", fmt::join(parts, ", "));
}

std::string text(const std::string &value) {
  if (value.empty())
    return "";
  const toml::value<std::string> written(value);
  toml::format_flags flags = toml::toml_formatter::default_flags;
  // Lines would be written as they are between three quotes, which they may hold themselves.
  if (value.find('\n') != std::string::npos)
    flags &=
        ~(toml::format_flags::allow_literal_strings | toml::format_flags::allow_multi_line_strings);
  std::ostringstream out;
  out << toml::toml_formatter(written, flags);
  return out.str();
}

std::string text(double value) { return fmt::format("{}", value); }
std::string text(bool value) { return value ? "true" : "false"; }

std::string text(const std::vector<double> &values) {
  return values.empty() ? "" : fmt::format("[{}]", fmt::join(values, ", "));
}

} // namespace facet::runtime::schema
