// toml.h - TOML as the runtime reads it.
#pragma once
#include <string_view>
#include <toml++/toml.h>

namespace facet::runtime {

/// toml::parse, which throws toml::parse_error; it does so here too where a key has more than 16
/// parts (a.b.c has 3). Each part is a table in the one before, and toml++ 3.3 reads and frees
/// those by as many calls, until the stack ends.
toml::table parseToml(std::string_view text, std::string_view path);

/// A number, whole or not, 0 without a sign. Not node.value<double>(): it is empty for whole
/// numbers beyond 2^53.
inline double numberOf(const toml::node &node) {
  return node.is_integer() ? static_cast<double>(node.as_integer()->get())
                           : node.as_floating_point()->get() + 0.0; // -0 + 0 is 0
}

} // namespace facet::runtime
