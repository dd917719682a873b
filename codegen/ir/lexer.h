// lexer.h - the words of the IR's text form, with their places; errors that quote the line.
#pragma once
#include "ir.h"
#include <algorithm>
#include <fmt/format.h>

namespace facet::ir {

/// One word: a name (which may hold dots: t.area), a number, a quoted text, or one mark of
/// {}:,=[]<>%@
struct Word {
  enum Kind : std::uint8_t { Name, Number, Text, Mark, End } kind = End;
  std::string_view text;
  std::size_t at = 0; // offset in the file
};

/// Splits text into words. Comments from ';' or '//' to the end of the line are skipped.
class Lexer {
public:
  Lexer(std::string_view text, std::string_view file) : text(text), file(file) { take(); }
  const Word &peek() const { return word; }
  Word take() {
    Word taken = word;
    last = at;
    word = scan();
    return taken;
  }
  /// Where the last word taken ends.
  std::size_t end() const { return last; }
  Loc locate(std::size_t at) const {
    const auto before = text.substr(0, at);
    const auto start = before.rfind('\n');
    return {static_cast<int>(std::count(before.begin(), before.end(), '\n')) + 1,
            static_cast<int>(start == std::string_view::npos ? at : at - start - 1) + 1};
  }
  /// "FILE:LINE:COLUMN: error: WHAT", the line, and a caret under the column.
  [[noreturn]] void fail(std::size_t at, std::string_view what) const {
    const Loc loc = locate(at);
    throw Error{
        fmt::format("{}:{}:{}: error: {}\n{}", file, loc.line, loc.column, what, quoted(text, loc)),
        loc};
  }

private:
  std::string_view text, file;
  std::size_t at = 0, last = 0;
  Word word;

  static bool isLetter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  }
  static bool isDigit(char c) { return c >= '0' && c <= '9'; }
  char ahead(std::size_t k) const { return at + k < text.size() ? text[at + k] : '\0'; }

  void skip() {
    for (;;) {
      at = std::min(text.find_first_not_of(" \t\n\r", at), text.size());
      if (ahead(0) != ';' && text.substr(at, 2) != "//")
        return;
      at = std::min(text.find('\n', at), text.size());
    }
  }

  Word scan() {
    skip();
    if (at >= text.size())
      return {Word::End, {}, text.size()};
    const std::size_t start = at;
    const auto word = [&](Word::Kind kind) {
      return Word{kind, text.substr(start, at - start), start};
    };
    const char c = text[at];
    if (isLetter(c)) {
      while (isLetter(ahead(0)) || isDigit(ahead(0)) || ahead(0) == '.')
        ++at;
      return word(Word::Name);
    }
    if (isDigit(c) || c == '-' || c == '+' || c == '.') {
      ++at; // the number's own form is checked where it is converted
      while (isLetter(ahead(0)) || isDigit(ahead(0)) || ahead(0) == '.' ||
             ((ahead(0) == '-' || ahead(0) == '+') && (text[at - 1] == 'e' || text[at - 1] == 'E')))
        ++at;
      return word(Word::Number);
    }
    if (c == '"') {
      for (++at; at < text.size() && text[at] != '"' && text[at] != '\n'; ++at)
        if (text[at] == '\\')
          ++at;
      if (at >= text.size() || text[at] != '"')
        fail(start, "this text has no closing quote");
      ++at;
      return word(Word::Text);
    }
    if (std::string_view{"{}:,=[]%@"}.find(c) == std::string_view::npos)
      fail(start, fmt::format("'{}' has no meaning here", c));
    ++at;
    return word(Word::Mark);
  }
};

} // namespace facet::ir
