// toml_table.cpp - one table of an experiment file, read with checks.
#include "runtime/experiment/toml_table.h"
#include "runtime/files/suggest.h"
#include <algorithm>
#include <fmt/format.h>

namespace facet::runtime {
namespace {

struct Key {
  const char *table, *key;
};
constexpr Key keys[] = {
#define FACET_KEY(table, key, doc) {table, #key},
#include "runtime/experiment/keys.def"
};

std::string place(const std::string &file, const toml::node &node) {
  return fmt::format("{}:{}", file, node.source().begin.line);
}

} // namespace

TomlTable::TomlTable(const toml::table &table, std::string name, const std::string &file)
    : table_(table), name_(std::move(name)), file_(file) {
  std::vector<std::string> known;
  for (const Key &k : keys)
    if (name_ == k.table)
      known.emplace_back(k.key);
  for (const auto &[key, value] : table_)
    if (const std::string word(key.str());
        std::find(known.begin(), known.end(), word) == known.end())
      throw Error(fmt::format("{}:{}", file_, key.source().begin.line),
                  fmt::format("unknown key '{}'{}", word,
                              name_.empty() ? "" : fmt::format(" in [{}]", name_)),
                  suggestion(word, known));
}

void TomlTable::fail(const toml::node &node, const std::string &what,
                     const std::string &help) const {
  throw Error(place(file_, node), what, help);
}

void TomlTable::read(const std::string &key, std::string &to) const {
  if (const toml::node *node = find(key)) {
    if (!node->is_string())
      fail(*node, fmt::format("'{}' is to be a text in quotes", key));
    to = *node->value<std::string>();
  }
}

void TomlTable::read(const std::string &key, double &to) const {
  if (const toml::node *node = find(key)) {
    if (!node->is_number())
      fail(*node, fmt::format("'{}' is to be a number", key));
    to = *node->value<double>();
  }
}

std::optional<std::int64_t> TomlTable::whole(const std::string &key, std::uint64_t most) const {
  const toml::node *node = find(key);
  if (node == nullptr)
    return {};
  const auto value = node->value_exact<std::int64_t>();
  if (!value || *value < 0 || static_cast<std::uint64_t>(*value) > most)
    fail(*node, fmt::format("'{}' is to be a whole number, 0 or more{}", key,
                            value && *value > 0 ? fmt::format(", to {}", most) : ""));
  return value;
}

std::optional<TomlTable> TomlTable::sub(const std::string &key, const std::string &name) const {
  const toml::node *node = find(key);
  if (node == nullptr)
    return {};
  if (!node->is_table())
    fail(*node, fmt::format("'{}' is to be a table", key),
         fmt::format("[{}] on a line by itself", key));
  return TomlTable(*node->as_table(), name, file_);
}

std::string shortest(double value) { return fmt::format("{}", value); }

} // namespace facet::runtime
