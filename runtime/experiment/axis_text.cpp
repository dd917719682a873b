// axis_text.cpp - an axis of an experiment file as the text that parseAxis() takes.
#include "runtime/experiment/axis_text.h"
#include <facet/runtime/grid.h>
#include <fmt/format.h>

namespace facet::runtime {
namespace {

std::string fromTable(const TomlTable &axis, const std::string &name) {
  double from = 0, to = 0, im = 0;
  std::int64_t n = 0;
  std::string scale = "linear";
  for (const char *needed : {"from", "to", "n"})
    if (axis.find(needed) == nullptr)
      axis.fail(axis.toml(), fmt::format("axis {} has no '{}'", name, needed),
                fmt::format("{} = {{ from = -2, to = 2, n = 500 }}", name));
  axis.read("from", from);
  axis.read("to", to);
  axis.read("im", im);
  axis.read("scale", scale);
  axis.readWhole("n", n);
  if (n < 1)
    axis.fail(*axis.find("n"), fmt::format("axis {} has no values: n = {}", name, n),
              "n is 1 or more");
  if (scale != "linear" && scale != "log")
    axis.fail(*axis.find("scale"), fmt::format("unknown scale '{}'", scale),
              "\"linear\" or \"log\"");
  std::string text =
      fmt::format("{}{}:{}:{}", scale == "log" ? "log " : "", shortest(from), shortest(to), n);
  return im == 0 ? text : fmt::format("{}{:+}i", text, im);
}

} // namespace

std::string axisText(const TomlTable &grid, const toml::node &node, const std::string &name) {
  if (node.is_number())
    return shortest(*node.value<double>());
  if (node.is_table())
    return fromTable(*grid.sub(name, "axis"), name);
  std::string text;
  if (node.is_string())
    text = *node.value<std::string>();
  if (const toml::array *list = node.as_array()) {
    if (list->empty())
      grid.fail(node, fmt::format("axis {} has no values", name), "give at least one");
    for (const toml::node &entry : *list) {
      if (!entry.is_number())
        grid.fail(entry, fmt::format("axis {} is to be a list of numbers", name));
      text = fmt::format("{}{}{}", text, text.empty() ? "" : ",", *entry.value<double>());
    }
  }
  if (text.empty())
    grid.fail(node, fmt::format("axis {} is to be a number, a list, a text or a table", name),
              fmt::format("{} = {{ from = -2, to = 2, n = 500 }}", name));
  try {
    parseAxis(text);
  } catch (const Error &e) {
    grid.fail(node, e.what());
  }
  return text;
}

} // namespace facet::runtime
