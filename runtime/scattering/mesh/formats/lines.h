// lines.h - a text file of a mesh as lines of words; errors with the line.
#pragma once
#include "runtime/engine/system/reader.h"
#include "runtime/engine/system/text.h"
#include <fmt/format.h>

namespace facet::runtime {

/// Lines as words, up to '#'. NUL and ^Z, which may stand after the last, are blanks.
class Lines {
public:
  explicit Lines(const std::string &path) : path_(path), file_(path, FileReader::Content::Lines) {}

  bool next(Words &words) {
    if (!readLine(file_, line_))
      return false;
    if (++number_ == 1)
      dropByteOrderMark(line_);
    cutComment();
    for (std::string more; endsInBackslash() && readLine(file_, more); ++number_) {
      line_.replace(line_.rfind('\\'), std::string::npos, " " + more);
      cutComment();
    }
    splitWords(line_, words, std::string_view(" \t\r\v\f\0\x1A", 7));
    return true;
  }
  std::int64_t number() const { return number_; }

  [[noreturn]] void damaged(const std::string &what, std::int64_t line = 0) const {
    throw Error(fmt::format("{}:{}", path_, line > 0 ? line : number_), what,
                "export the mesh again");
  }

  double real(std::string_view word) const {
    double value = 0;
    if (!parseNumber(word, value))
      damaged(fmt::format("'{}' is not a number", word.substr(0, 40)));
    return value;
  }

  /// Passes over this line, of which no reader makes a triangle.
  void pass(std::string_view word) {
    if (passed_++ == 0)
      firstPassed_ = fmt::format("'{}' in line {}", word.substr(0, 40), number_);
  }
  /// What was passed over, for people; empty: nothing was.
  std::string passed() const {
    return passed_ == 0 ? ""
                        : fmt::format("{} passed over, the first: {}", plural(passed_, "line"),
                                      firstPassed_);
  }

private:
  /// First: one that ends in a backslash does not go on.
  void cutComment() { line_.resize(std::min(line_.size(), line_.find('#'))); }
  bool endsInBackslash() const {
    const std::size_t last = line_.find_last_not_of(" \t\r");
    return last != std::string::npos && line_[last] == '\\';
  }

  const std::string &path_;
  FileReader file_;
  std::string line_;
  std::int64_t number_ = 0, passed_ = 0;
  std::string firstPassed_;
};

} // namespace facet::runtime
