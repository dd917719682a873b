// table.cpp - columns of numbers in text: the papers' 7 columns, lists of q, records with a header
// line.
#include "runtime/files/table.h"
#include <cctype>
#include <charconv>
#include <facet/runtime/error.h>
#include <fstream>
#include <string_view>

namespace facet::runtime {

namespace {
using Words = std::vector<std::string_view>;

void split(std::string_view line, Words &words) {
  words.clear();
  constexpr std::string_view separators = " \t\r,;";
  for (std::size_t at = line.find_first_not_of(separators); at != std::string_view::npos;) {
    std::size_t end = line.find_first_of(separators, at);
    words.push_back(line.substr(at, end - at));
    at = line.find_first_not_of(separators, end);
  }
}

bool parseNumber(std::string_view word, double &value) {
  if (!word.empty() && word[0] == '+')
    word.remove_prefix(1);
  auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  return error == std::errc() && end == word.data() + word.size();
}

/// A header line: every word begins like a name and is no number.
bool isHeader(const Words &words) {
  for (auto word : words) {
    double value = 0;
    if (parseNumber(word, value) || !std::isalpha(static_cast<unsigned char>(word[0])))
      return false;
  }
  return true;
}
} // namespace

Table readTable(const std::string &path) {
  std::ifstream file(path);
  if (!file)
    throw Error(path, "cannot read this file");
  Table table;
  std::string line;
  Words words;
  for (std::size_t number = 1; std::getline(file, line); ++number) {
    std::string where = path + ":" + std::to_string(number);
    if (std::size_t hash = line.find('#'); hash != std::string::npos) {
      table.comments.push_back(line.substr(hash + 1));
      line.resize(hash);
    }
    split(line, words);
    if (words.empty())
      continue;
    if (table.columns.empty()) {
      table.columns.resize(words.size());
      if (isHeader(words)) {
        table.names.assign(words.begin(), words.end());
        continue;
      }
    }
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

} // namespace facet::runtime
