// journal.cpp - journals printed, read and found.
#include "runtime/engine/store/journal.h"
#include "runtime/engine/system/reader.h"
#include "runtime/engine/system/text.h"
#include <cerrno>
#include <charconv>
#include <facet/runtime/error.h>
#include <fmt/format.h>
#include <ranges>
#include <system_error>
#include <unistd.h>

namespace facet::runtime::tiled {

namespace {
const char *const beforeRank = ".journal.";

std::uint32_t sumOf(std::string_view text) { return addToSum(0, text.data(), std::ssize(text)); }

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

std::optional<UnitLine> unitOf(const Words &words) {
  UnitLine result;
  if (words.size() < 2 || !parseNumber(words[1], result.unit) || result.unit < 0)
    return std::nullopt;
  Words numbers;
  for (const std::string_view word : words | std::views::drop(2)) {
    splitWords(word, numbers, "[]:,="); // DATASET[B:E,B:E]=SUM
    if (numbers.size() < 2)
      return std::nullopt;
    Piece &piece = result.pieces.emplace_back();
    const std::string_view sum = numbers.back();
    std::from_chars(sum.data(), sum.data() + sum.size(), piece.sum, 16);
    bool good = parseNumber(numbers[0], piece.dataset);
    for (std::size_t k = 1; k + 2 < numbers.size(); k += 2)
      good = good && parseNumber(numbers[k], piece.box.begin.emplace_back()) &&
             parseNumber(numbers[k + 1], piece.box.end.emplace_back());
    if (!good)
      return std::nullopt;
  }
  return result;
}

/// Takes a whole line that ends at a byte of the journal. `head`: what has been read of the head.
void take(const std::string &body, std::int64_t end, Head &head, Journal &journal) {
  Words words;
  splitWords(body, words, " ");
  if (body.starts_with("unit ") && journal.head) {
    if (auto unit = unitOf(words); unit && unit->unit < journal.head->units) {
      unit->end = end;
      journal.units.push_back(std::move(*unit));
    }
  } else if (body.starts_with("part ") && words.size() > 1) {
    const std::size_t value = body.find(' ', 5) + 1;
    head.identity[std::string(words[1])] = unescaped(body.substr(value));
  } else if (body.starts_with("dataset ") && words.size() == 3) {
    head.datasets.emplace_back(words[1]);
    parseNumber(words[2], head.offsets.emplace_back());
  } else if (body.starts_with("layout ") && words.size() == 4 && journal.damaged == 0 &&
             !journal.head && parseNumber(words[1], head.size) && parseNumber(words[2], head.sum) &&
             parseNumber(words[3], head.units) && head.units >= 0) {
    journal.head = head; // no line of it is missing, and units are counted by it
  }
}
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

void cannotRead(const std::string &path, const std::string &what, const std::error_code &why) {
  throw Error(
      path, fmt::format("{}: {}", what, why.message()),
      "finished units are kept: go on with --resume when that is mended, or discard them by "
      "--overwrite",
      Exit::Failed);
}

Journal readJournal(const std::string &file) {
  FileReader in(file, FileReader::Content::Lines);
  if (!in && errno != ENOENT)
    cannotRead(file, "cannot be read", {errno, std::generic_category()});
  return readJournal(in);
}

Journal readJournal(std::istream &in) {
  Journal journal;
  Head head;
  std::int64_t at = 0;
  for (std::string text; std::getline(in, text);) {
    const bool ends = !in.eof();
    at += std::ssize(text) + (ends ? 1 : 0);
    if (ends)
      journal.whole = at;
    if (const auto body = ends ? bodyOf(text) : std::nullopt)
      take(*body, at, head, journal);
    else
      ++journal.damaged;
  }
  return journal;
}

std::string journalOf(const std::string &path, int rank) {
  return fmt::format("{}{}{}", path, beforeRank, rank);
}

std::map<int, std::string> journalsOf(const std::string &path) {
  std::error_code failed;
  auto result = numbered(path, beforeRank, failed);
  if (failed && failed != std::errc::no_such_file_or_directory &&
      failed != std::errc::not_a_directory)
    cannotRead(path, "its folder cannot be listed, so that a stopped run is not found", failed);
  return result;
}

void removeJournals(const std::string &path) {
  unlink(journalOf(path, 0).c_str()); // even where the folder cannot be listed
  std::error_code ignored;
  for (const auto &[rank, file] : numbered(path, beforeRank, ignored))
    unlink(file.c_str());
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
