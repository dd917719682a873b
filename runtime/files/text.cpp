// text.cpp - tables read line by line; the known name nearest to a misspelt one.
#include "runtime/files/text.h"
#include <algorithm>
#include <cctype>
#include <fstream>

namespace facet::runtime {

namespace {
/// A header line: every word begins like a name and is no number.
bool isHeader(const Words &words) {
  for (auto word : words) {
    double value = 0;
    if (parseNumber(word, value) || !std::isalpha(static_cast<unsigned char>(word[0])))
      return false;
  }
  return true;
}

/// Edits (insert, drop, change, swap of neighbours) that turn a into b.
std::size_t editDistance(const std::string &a, const std::string &b) {
  std::vector<std::size_t> before(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j)
    last[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] != b[j - 1])});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = std::min(row[j], before[j - 2] + 1);
    }
    before = last;
    last = row;
  }
  return last[b.size()];
}
} // namespace

Table readTable(const std::string &path) {
  std::ifstream file(path);
  if (!file)
    throw Error(path, "cannot read this file");
  Table table;
  std::string line, comment;
  Words words;
  for (std::size_t number = 1; std::getline(file, line); ++number) {
    std::string where = path + ":" + std::to_string(number);
    if (std::size_t hash = line.find('#'); hash != std::string::npos) {
      comment = line.substr(hash + 1);
      table.comments.push_back(comment);
      line.resize(hash);
    }
    splitWords(line, words, " \t\r,;");
    if (words.empty())
      continue;
    if (table.columns.empty()) {
      table.columns.resize(words.size());
      if (isHeader(words)) {
        table.names.assign(words.begin(), words.end());
        continue;
      }
      Words said;
      splitWords(comment, said, " \t\r,;");
      if (said.size() == words.size() && isHeader(said))
        table.commentNames.assign(said.begin(), said.end());
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

std::string nearest(const std::string &name, const std::vector<std::string> &candidates) {
  std::string best;
  std::size_t least = std::max<std::size_t>(1, (name.size() + 1) / 3) + 1;
  for (const auto &candidate : candidates) {
    // A beginning is near, too: "truncated" for "truncated-octahedron".
    bool begins = name.size() >= 3 && candidate.compare(0, name.size(), name) == 0;
    std::size_t distance = begins ? 1 : editDistance(name, candidate);
    if (distance < least) {
      least = distance;
      best = candidate;
    }
  }
  return best;
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
