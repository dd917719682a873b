// parsers.cpp - the parsers of TOML and JSON, compiled once: each takes seconds. Others read toml++
// as declarations. What is nested without bound is refused: it is freed, or written, by as many
// calls, until the stack ends.
#include "runtime/engine/system/json.h"
// toml++ 3.3 asserts that a key begins as keys do before it has looked. With assertions a wrong
// file would end the process. Without them clang is told to take it for granted.
#undef NDEBUG
#define TOML_ASSERT(expr) static_cast<void>(0)
#define TOML_IMPLEMENTATION
#include "runtime/engine/system/toml.h"
#include <algorithm>
#include <tuple>

namespace facet::runtime {

Json parseJson(const std::string &text) {
  constexpr int deepest = 64;
  bool deep = false;
  Json json = Json::parse(
      text,
      [&](int depth, Json::parse_event_t, Json &) {
        deep = deep || depth > deepest;
        return !deep;
      },
      false);
  return deep ? Json(Json::value_t::discarded) : json;
}

namespace {
/// Where the first string or comment of `text` that begins at or after `at` begins, and where it
/// ends.
std::pair<std::size_t, std::size_t> nextAside(std::string_view text, std::size_t at) {
  const std::size_t begin = std::min(text.find_first_of("\"'#", at), text.size());
  if (begin == text.size())
    return {begin, begin};
  if (text[begin] == '#')
    return {begin, std::min(text.find('\n', begin), text.size())};
  const char quote = text[begin];
  const bool longOne = text.substr(begin, 3) == std::string(3, quote);
  const std::string_view closing = text.substr(begin, longOne ? 3 : 1);
  for (std::size_t end = begin + closing.size(); end < text.size(); ++end)
    if (text[end] == '\\' && quote == '"')
      ++end;
    else if (text.substr(end).starts_with(closing))
      return {begin, end + closing.size()};
    else if (text[end] == '\n' && !longOne)
      return {begin, end};
  return {begin, text.size()};
}

/// Where a key has more parts than so many; the end of the text if none has.
std::size_t longKey(std::string_view text, std::size_t most) {
  std::size_t dots = 0;
  auto [begin, end] = nextAside(text, 0);
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (at == begin && begin < end) {
      at = end - 1;
      std::tie(begin, end) = nextAside(text, end);
    } else if (text[at] == '.') {
      if (++dots >= most)
        return at;
    } else if (std::string_view("\n=,[]{}").find(text[at]) != std::string_view::npos) {
      dots = 0;
    }
  }
  return text.size();
}

/// Throws for a text with \u0000: the system, to which it would be a name, reads it to there.
void refuseNul(const toml::node &node) {
  const auto refuse = [](const std::string_view text, const toml::source_region &where) {
    if (text.find('\0') != std::string_view::npos)
      throw toml::parse_error("a text has the character \\u0000 in it", where);
  };
  if (const auto *text = node.as_string())
    refuse(text->get(), text->source());
  if (const auto *list = node.as_array())
    for (const toml::node &one : *list)
      refuseNul(one);
  if (const auto *table = node.as_table())
    for (const auto &[key, value] : *table) {
      refuse(key.str(), key.source());
      refuseNul(value);
    }
}
} // namespace

toml::table parseToml(std::string_view text, std::string_view path) {
  if (const std::size_t at = longKey(text, 16); at < text.size()) {
    const auto line =
        1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n');
    const toml::source_position place{static_cast<toml::source_index>(line), 1};
    throw toml::parse_error("a key has more than 16 parts", place);
  }
  toml::table root = toml::parse(text, path);
  refuseNul(root);
  return root;
}

} // namespace facet::runtime
