// edit.h - texts of kernels spoilt by tests, which what runs them must find.
#pragma once
#include <regex>
#include <stdexcept>
#include <string>

namespace facet::test {

/// The text with `edit`, "2|REGEX|TO": TO for the second match. An empty edit leaves it. Throws
/// std::runtime_error where nothing matches.
inline std::string edited(std::string text, const std::string &edit) {
  const std::size_t first = edit.find('|'), last = edit.rfind('|');
  if (first == last)
    return text;
  const std::regex pattern(edit.substr(first + 1, last - first - 1));
  std::sregex_iterator match(text.begin(), text.end(), pattern);
  for (int left = std::stoi(edit); left > 1 && match != std::sregex_iterator(); --left)
    ++match;
  if (match == std::sregex_iterator())
    throw std::runtime_error("the edit " + edit + " matches nothing");
  const auto at = static_cast<std::size_t>(match->position()),
             length = static_cast<std::size_t>(match->length());
  return text.substr(0, at) + match->format(edit.substr(last + 1)) + text.substr(at + length);
}

} // namespace facet::test
