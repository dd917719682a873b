// text.h - text as words and numbers, tables of numbers, and the help line for an unknown name.
#pragma once
#include <charconv>
#include <cstdint>
#include <facet/runtime/error.h>
#include <string>
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

// Letters and blanks of ASCII, whatever the locale: in that of Turkey tolower('I') is 'I'.
constexpr bool isLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
constexpr bool isDigit(char c) { return c >= '0' && c <= '9'; }
constexpr bool isBlank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

/// The fields of a line, which spaces, tabs, commas or semicolons separate; beside a semicolon a
/// comma is a decimal point. Throws Error for "0,5 0,25", which may be two numbers or four, and for
/// an empty field. `line` may change.
void splitFields(const std::string &where, std::string &line, Words &words);

/// Takes the byte order mark from the first line of a text. Throws Error if the text is in UTF-16.
void beginText(const std::string &path, std::string &line);

/// The word with small letters.
std::string lower(std::string_view word);

/// Takes the byte order mark from the beginning of a text in UTF-8, if there is one.
inline void dropByteOrderMark(std::string &text) {
  if (text.starts_with("\xEF\xBB\xBF"))
    text.erase(0, 3);
}

/// A number that is the whole word, with a '+' before it or not. False: it is none.
template <class Number> bool parseNumber(std::string_view word, Number &value) {
  if (word.size() > 1 && word[0] == '+')
    word.remove_prefix(1);
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  return error == std::errc() && end == word.data() + word.size();
}

/// Columns of numbers: the papers' 7 columns, lists of q, records with a header line.
struct Table {
  std::vector<std::string> names; // empty: no header line
  /// Without a header line: the words of the last comment before the first row. They are kept if
  /// there are as many as columns and all could be names. numpy.savetxt writes a header so. The
  /// reader judges what else may stand there.
  std::vector<std::string> commentNames;
  std::vector<std::vector<double>> columns; // of equal length
  std::vector<std::string> comments;        // lines beginning with '#', without it
  std::size_t rows() const { return columns.empty() ? 0 : columns[0].size(); }
};

/// Reads numbers separated by blanks, commas or semicolons; "nan" and "inf" are numbers here.
/// Throws Error with the line if a row has another number of columns, or something is no number.
Table readTable(const std::string &path);

/// "1 unit", "3 units".
inline std::string plural(std::int64_t n, const std::string &what) {
  return std::to_string(n) + " " + what + (n == 1 ? "" : "s");
}

/// "did you mean 'X'? known: a, b, c", or only the list if none is near. `known`: what stands
/// before the list.
std::string suggestion(const std::string &word, const std::vector<std::string> &names,
                       const std::string &known = "known");

} // namespace facet::runtime
