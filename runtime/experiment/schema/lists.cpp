// lists.cpp - lists, choices and arrays of tables in an experiment file.
#include "runtime/experiment/schema/parts.h"
#include "runtime/files/suggest.h"
#include <algorithm>
#include <filesystem>
#include <fmt/format.h>

namespace facet::runtime::schema {
namespace fs = std::filesystem;

std::string beside(const std::string &experimentFile, const std::string &input) {
  if (input.empty() || fs::path(input).is_absolute())
    return input;
  return (fs::path(experimentFile).parent_path() / input).lexically_normal();
}

std::vector<double> readList(const TomlTable &from, const toml::node &node,
                             const std::string &what) {
  std::vector<double> numbers;
  if (const toml::array *array = node.as_array())
    for (const toml::node &entry : *array) {
      if (!entry.is_number())
        from.fail(entry, fmt::format("'{}' is to be a list of numbers", what));
      numbers.push_back(*entry.value<double>());
    }
  return numbers;
}

void readNumbers(const TomlTable &from, const std::string &key, std::size_t count, double *to) {
  const toml::node *node = from.find(key);
  if (node == nullptr)
    return;
  const std::vector<double> list = readList(from, *node, key);
  if (list.size() != count)
    from.fail(*node, fmt::format("'{}' is to be a list of {} numbers", key, count));
  std::copy(list.begin(), list.end(), to);
}

void readChoice(const TomlTable &from, const std::string &key,
                const std::vector<std::string> &known, std::string &to) {
  from.read(key, to);
  if (from.find(key) != nullptr && std::find(known.begin(), known.end(), to) == known.end())
    from.fail(*from.find(key), fmt::format("unknown {} '{}'", key, to), suggestion(to, known));
}

void eachTable(const TomlTable &from, const std::string &key, const std::string &name,
               const std::string &file, const std::function<void(const TomlTable &)> &take) {
  const toml::node *node = from.find(key);
  if (node == nullptr)
    return;
  if (const toml::table *one = node->as_table())
    return take(TomlTable(*one, name, file));
  if (node->as_array() == nullptr)
    from.fail(*node, fmt::format("'{}' is to be tables", key));
  for (const toml::node &entry : *node->as_array()) {
    if (!entry.is_table())
      from.fail(entry, fmt::format("'{}' is to be tables", key));
    take(TomlTable(*entry.as_table(), name, file));
  }
}

} // namespace facet::runtime::schema
