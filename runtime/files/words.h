// words.h - lines of text as words and numbers.
#pragma once
#include <charconv>
#include <string_view>
#include <vector>

namespace facet::runtime {

using Words = std::vector<std::string_view>;

/// The words of a line, in place of those there were.
inline void splitWords(std::string_view line, Words &words, std::string_view separators) {
  words.clear();
  for (std::size_t at = line.find_first_not_of(separators); at != std::string_view::npos;) {
    const std::size_t end = line.find_first_of(separators, at);
    words.push_back(line.substr(at, end - at));
    at = line.find_first_not_of(separators, end);
  }
}

/// A number that is the whole word, with a '+' before it or not. False: it is none.
template <class Number> bool parseNumber(std::string_view word, Number &value) {
  if (word.size() > 1 && word[0] == '+')
    word.remove_prefix(1);
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  return error == std::errc() && end == word.data() + word.size();
}

} // namespace facet::runtime
