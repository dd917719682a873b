// text.cpp - tables read line by line; the help line for an unknown name.
#include "runtime/engine/system/text.h"
#include "runtime/engine/system/reader.h"
#include "schedules/knobs.h"
#include "schedules/shown.h"
#include <algorithm>
#include <fmt/format.h>

namespace facet::runtime {

namespace {
/// A header line: every word begins like a name and is no number.
bool isHeader(const Words &words) {
  for (auto word : words) {
    double value = 0;
    if (parseNumber(word, value) || !isLetter(word[0]))
      return false;
  }
  return true;
}

/// "0,5": digits on both sides of its one comma.
bool mayBeDecimal(std::string_view word) {
  const std::size_t comma = word.find(',');
  const auto digitAt = [&](std::size_t at) { return at < word.size() && isDigit(word[at]); };
  return comma != std::string_view::npos && comma > 0 && digitAt(comma - 1) && digitAt(comma + 1) &&
         word.find_first_of(",.", comma + 1) == std::string_view::npos &&
         word.find('.') == std::string_view::npos;
}

/// Whether commas of words that blanks part may be decimal points: there is one amid digits, none
/// parts words, and no number has a point.
bool mayHaveDecimals(const Words &words) {
  const auto parts = [](std::string_view word) {
    const bool name = isLetter(word[0]);
    return word.front() == ',' || word.back() == ',' ||
           (word.find(',') != std::string_view::npos && !mayBeDecimal(word)) ||
           (!name && word.find('.') != std::string_view::npos);
  };
  return words.size() > 1 && std::ranges::any_of(words, mayBeDecimal) &&
         std::ranges::none_of(words, parts);
}

/// Begins a table by its first row, after the last comment; true if that row is names.
bool takeFirstRow(Table &table, const Words &row, const std::string &comment) {
  table.columns.resize(row.size());
  if (isHeader(row)) {
    table.names.assign(row.begin(), row.end());
    return true;
  }
  Words said;
  splitWords(comment, said, " \t\r,;");
  if (said.size() == row.size() && isHeader(said))
    table.commentNames.assign(said.begin(), said.end());
  return false;
}
} // namespace

void splitFields(const std::string &where, std::string &line, Words &words) {
  if (line.find(';') != std::string::npos)
    std::ranges::replace(line, ',', '.');
  splitWords(line, words, " \t\r");
  if (mayHaveDecimals(words))
    throw Error(where, "its commas may be decimal points, or between columns",
                "write decimal points, or semicolons between the columns");
  bool open = true; // no field since the separator before
  for (const char c : line)
    if (c == ',' || c == ';') {
      if (open)
        throw Error(where, "a field of this row is empty", "give each column a number");
      open = true;
    } else if (!isBlank(c)) {
      open = false;
    }
  splitWords(line, words, " \t\r,;");
}

void beginText(const std::string &path, std::string &line) {
  dropByteOrderMark(line);
  if (line.starts_with("\xFF\xFE") || line.starts_with("\xFE\xFF") ||
      line.find('\0') != std::string::npos)
    throw Error(path, "this text is in UTF-16, or no text", "save it in UTF-8");
}

std::string lower(std::string_view word) {
  std::string text(word);
  std::ranges::transform(text, text.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return text;
}

Table readTable(const std::string &path) {
  FileReader file(path, FileReader::Content::Lines);
  if (!file)
    throw Error(path, "cannot read this file");
  Table table;
  std::string line, comment;
  Words words;
  for (std::size_t number = 1; readLine(file, line); ++number) {
    std::string where = path + ":" + std::to_string(number);
    if (number == 1)
      beginText(path, line);
    if (std::size_t hash = line.find('#'); hash != std::string::npos) {
      comment = line.substr(hash + 1);
      table.comments.push_back(comment);
      line.resize(hash);
    }
    std::ranges::replace_if(line, [](char c) { return c == 0 || c == 26; }, ' ');
    splitFields(where, line, words);
    if (words.empty())
      continue;
    if (table.columns.empty() && takeFirstRow(table, words, comment))
      continue;
    if (words.size() != table.columns.size())
      throw Error(where, "this row has " + std::to_string(words.size()) +
                             " columns, those before have " + std::to_string(table.columns.size()));
    for (std::size_t k = 0; k < words.size(); ++k) {
      double value = 0;
      if (!parseNumber(words[k], value))
        throw Error(where, "'" + std::string(words[k].substr(0, 40)) + "' is not a number");
      table.columns[k].push_back(value);
    }
  }
  if (file.bad())
    throw Error(path, "reading failed");
  return table;
}

std::string shown(std::string_view text) { return schedules::shown(text); }

std::string nearest(const std::string &name, const std::vector<std::string> &candidates) {
  return std::string(schedules::nearest(name, {candidates.begin(), candidates.end()}));
}

std::string suggestion(const std::string &word, const std::vector<std::string> &names,
                       const std::string &known) {
  std::string list;
  for (const std::string &name : names)
    list += (list.empty() ? ": " : ", ") + name;
  const std::string near = nearest(word, names);
  return (near.empty() ? "" : "did you mean '" + near + "'? ") + known + list;
}

} // namespace facet::runtime
