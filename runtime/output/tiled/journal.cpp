// journal.cpp - journals printed, read and found.
#include "runtime/output/tiled/journal.h"
#include <charconv>
#include <fmt/format.h>
#include <fstream>
#include <sstream>

namespace facet::runtime::tiled {

namespace {
std::uint32_t sumOf(std::string_view text) {
  return addToSum(0, text.data(), static_cast<std::int64_t>(text.size()));
}

std::string line(const std::string &body) { return fmt::format("{} {:08x}\n", body, sumOf(body)); }

/// The body of a line whose sum is right.
std::optional<std::string> bodyOf(const std::string &line) {
  if (line.size() < 9 || line[line.size() - 9] != ' ')
    return std::nullopt;
  std::string body = line.substr(0, line.size() - 9);
  if (fmt::format("{:08x}", sumOf(body)) != std::string_view(line).substr(line.size() - 8))
    return std::nullopt;
  return body;
}

std::string escaped(const std::string &value) {
  std::string result;
  for (char c : value)
    if (c == '\n')
      result += "\\n";
    else if (c == '\\')
      result += "\\\\";
    else
      result += c;
  return result;
}

std::string unescaped(const std::string &value) {
  std::string result;
  for (std::size_t i = 0; i < value.size(); ++i)
    if (value[i] != '\\' || i + 1 == value.size())
      result += value[i];
    else
      result += value[++i] == 'n' ? '\n' : '\\';
  return result;
}

std::optional<UnitLine> unitOf(std::istringstream &words) {
  UnitLine result;
  if (!(words >> result.unit) || result.unit < 0)
    return std::nullopt;
  for (std::string word; words >> word;) {
    // DATASET[B:E,B:E]=SUM
    for (char &c : word)
      if (std::string_view("[]:,=").find(c) != std::string_view::npos)
        c = ' ';
    std::istringstream numbers(word.substr(0, word.rfind(' ')));
    Piece piece;
    if (!(numbers >> piece.dataset))
      return std::nullopt;
    for (std::int64_t begin = 0, end = 0; numbers >> begin >> end;) {
      piece.box.begin.push_back(begin);
      piece.box.end.push_back(end);
    }
    const std::string sum = word.substr(word.rfind(' ') + 1);
    std::from_chars(sum.data(), sum.data() + sum.size(), piece.sum, 16);
    result.pieces.push_back(std::move(piece));
  }
  return result;
}

class Reader {
public:
  Journal read(const std::string &file) {
    std::ifstream in(file, std::ios::binary);
    std::int64_t at = 0;
    for (std::string text; std::getline(in, text);) {
      const bool ends = !in.eof();
      at += static_cast<std::int64_t>(text.size()) + (ends ? 1 : 0);
      const auto body = ends ? bodyOf(text) : std::nullopt;
      if (ends)
        journal_.whole = at;
      if (!body)
        ++journal_.damaged;
      else
        take(*body, at);
    }
    return std::move(journal_);
  }

private:
  void take(const std::string &body, std::int64_t end) {
    std::istringstream words(body);
    std::string kind;
    words >> kind;
    if (kind == "unit" && journal_.head) {
      if (auto unit = unitOf(words); unit && unit->unit < journal_.head->units) {
        unit->end = end;
        journal_.units.push_back(std::move(*unit));
      }
    } else if (kind == "part") {
      std::string name, value;
      words >> name;
      words.get();
      std::getline(words, value);
      head_.identity[name] = unescaped(value);
    } else if (kind == "dataset") {
      words >> head_.datasets.emplace_back() >> head_.offsets.emplace_back();
    } else if (kind == "layout" && journal_.damaged == 0 &&
               words >> head_.size >> head_.sum >> head_.units) {
      journal_.head = head_; // no line of the head is missing
    }
  }

  Journal journal_;
  Head head_;
};
} // namespace

std::string text(const Head &head) {
  std::string result = line("facet-journal 1");
  for (const auto &[name, value] : head.identity)
    result += line(fmt::format("part {} {}", name, escaped(value)));
  for (std::size_t k = 0; k < head.datasets.size(); ++k)
    result += line(fmt::format("dataset {} {}", head.datasets[k], head.offsets[k]));
  return result + line(fmt::format("layout {} {} {}", head.size, head.sum, head.units));
}

std::string text(std::int64_t unit, const std::vector<Piece> &pieces) {
  std::string body = fmt::format("unit {}", unit);
  for (const auto &piece : pieces) {
    body += fmt::format(" {}[", piece.dataset);
    for (std::size_t k = 0; k < piece.box.begin.size(); ++k)
      body += fmt::format("{}{}:{}", k == 0 ? "" : ",", piece.box.begin[k], piece.box.end[k]);
    body += fmt::format("]={:08x}", piece.sum);
  }
  return line(body);
}

Journal readJournal(const std::string &file) { return Reader().read(file); }

std::string journalOf(const std::string &path, int rank) {
  return fmt::format("{}.journal.{}", path, rank);
}

std::map<int, Journal> readJournals(const std::string &path, std::optional<Head> &head) {
  std::map<int, Journal> result;
  for (const auto &[rank, file] : journalsOf(path)) {
    Journal journal = readJournal(file);
    if (!journal.head)
      continue;
    if (!head)
      head = journal.head;
    if (*head == *journal.head)
      result[rank] = std::move(journal);
  }
  return result;
}

} // namespace facet::runtime::tiled
