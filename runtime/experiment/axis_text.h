// axis_text.h - an axis of an experiment file as the text that parseAxis() takes.
#pragma once
#include "runtime/experiment/toml_table.h"

namespace facet::runtime {

/// A number, a text, a list of numbers, or { from, to, n, scale, im }. Throws Error with the line.
std::string axisText(const TomlTable &grid, const toml::node &node, const std::string &name);

} // namespace facet::runtime
