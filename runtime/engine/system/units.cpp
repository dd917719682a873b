// units.cpp - units by the table units.def: a text is brought to one spelling, then parted into a
// number, a name and an exponent of 1 or -1.
#include "runtime/engine/system/units.h"
#include "runtime/engine/system/text.h"
#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <fmt/format.h>
#include <regex>
#include <utility>

namespace facet::runtime {
namespace {

struct Row {
  Dimension dimension;
  double size;
  std::string_view names;
};
constexpr Row rows[] = {
#define FACET_UNIT(DIMENSION, SIZE, NAMES) {Dimension::DIMENSION, SIZE, NAMES},
#include "runtime/engine/system/units.def"
#undef FACET_UNIT
};

enum class Heading { Q, Between };
struct HeadingWords {
  Heading part;
  std::string_view words;
};
constexpr HeadingWords headings[] = {
#define FACET_HEADING(PART, WORDS) {Heading::PART, WORDS},
#include "runtime/engine/system/units.def"
#undef FACET_HEADING
};

/// Letters and signs with several spellings: UTF-8, single bytes of Latin-1, and TeX.
constexpr std::pair<std::string_view, std::string_view> spellings[] = {{"\\AA", "A"},
                                                                       {"\\mathring{A}", "A"},
                                                                       {"\\mu", "u"},
                                                                       {"\\mathrm", ""},
                                                                       {"\\text", ""},
                                                                       {"\\rm", ""},
                                                                       {"\\,", ""},
                                                                       {"$", ""},
                                                                       {"\xC3\x85", "A"},
                                                                       {"\xE2\x84\xAB", "A"},
                                                                       {"\xC3\xA5", "A"},
                                                                       {"\xCC\x8A", ""},
                                                                       {"\xC2\xB5", "u"},
                                                                       {"\xCE\xBC", "u"},
                                                                       {"\xC3\xB6", "o"},
                                                                       {"\xE2\x81\xBB", "-"},
                                                                       {"\xC2\xB9", "1"},
                                                                       {"\xE2\x88\x92", "-"},
                                                                       {"\xE2\x80\x93", "-"},
                                                                       {"\xE2\x80\x90", "-"},
                                                                       {"\xE2\x80\x91", "-"},
                                                                       {"\xC2\xB0", "deg"},
                                                                       {"\xC2\xA0", " "},
                                                                       {"\xE2\x80\x89", " "},
                                                                       {"\xE2\x80\xAF", " "},
                                                                       {"\xE2\x88\x95", "/"},
                                                                       {"\xE2\x81\x84", "/"},
                                                                       {"\xC5", "A"},
                                                                       {"\xB5", "u"},
                                                                       {"{", ""},
                                                                       {"}", ""},
                                                                       {"_", " "},
                                                                       {"\t", " "}};

std::string inOneSpelling(std::string_view text) {
  std::string result(text);
  for (const auto &[from, to] : spellings)
    for (std::size_t at = 0; (at = result.find(from, at)) != std::string::npos; at += to.size())
      result.replace(at, from.size(), to);
  return result;
}

char closing(char open) {
  constexpr std::string_view opening = "([<", closes = ")]>";
  const std::size_t at = opening.find(open);
  return at == std::string_view::npos ? '\0' : closes[at];
}

void withoutBrackets(std::string &text) {
  while (text.size() > 1 && closing(text.front()) == text.back())
    text = text.substr(1, text.size() - 2);
}

bool takePrefix(std::string &text, std::string_view prefix) {
  if (!lower(text).starts_with(prefix))
    return false;
  text.erase(0, prefix.size());
  return true;
}

bool takeSuffix(std::string &text, std::string_view suffix) {
  if (!text.ends_with(suffix))
    return false;
  text.erase(text.size() - suffix.size());
  return true;
}

/// A number before a unit: "0.1 nm", "1e-10 m", "10^-10 m", the 1 of "1/nm".
double takeNumber(std::string &text) {
  double value = 1;
  if (text.empty() || std::isalpha(static_cast<unsigned char>(text[0]))) // "nanometre" is no NaN
    return 1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc())
    return 1;
  text.erase(0, static_cast<std::size_t>(end - text.data()));
  int power = 0;
  if (text.starts_with('^')) {
    const char *first = text.data() + 1, *last = text.data() + text.size();
    const auto [after, wrong] = std::from_chars(first, last, power);
    if (wrong == std::errc()) {
      text.erase(0, static_cast<std::size_t>(after - text.data()));
      value = std::pow(value, power);
    }
  }
  if (text.starts_with('*') || text.starts_with('.'))
    text.erase(0, 1);
  return value;
}

bool isName(std::string_view text, std::string_view name) {
  const bool exact = name.starts_with('=');
  name.remove_prefix(exact ? 1 : 0);
  if (text == name)
    return true;
  const std::string small = lower(text);
  return !exact && name.size() > 2 && (small == lower(name) || small == lower(name) + "s");
}

const Row *find(std::string_view text, Dimension dimension) {
  Words names;
  for (const Row &row : rows) {
    splitWords(row.names, names, " ");
    if (row.dimension == dimension &&
        std::ranges::any_of(names, [&](std::string_view name) { return isName(text, name); }))
      return &row;
  }
  return nullptr;
}

bool hasWord(Heading part, std::string_view word) {
  Words words;
  for (const HeadingWords &heading : headings) {
    splitWords(heading.words, words, " ");
    if (heading.part == part && std::ranges::find(words, word) != words.end())
      return true;
  }
  return false;
}

/// Whether what is left is the inverse of a unit; takes the sign of it away.
bool takeInverse(std::string &text) {
  for (const std::string_view word : {"inverse", "inv", "reciprocal", "per", "/"})
    if (takePrefix(text, word)) {
      takePrefix(text, "-");
      takePrefix(text, "_");
      withoutBrackets(text);
      return true;
    }
  for (const std::string_view end : {"^(-1)", "^-1.0", "^-1", "**(-1)", "**-1.0", "**-1", "-1"})
    if (takeSuffix(text, end)) {
      withoutBrackets(text);
      return true;
    }
  return false;
}

/// Words of a line, and what stands in its brackets, which may have blanks.
struct Piece {
  std::string text;
  bool bracketed = false;
};

std::vector<Piece> piecesOf(std::string_view line) {
  std::vector<Piece> pieces;
  constexpr std::string_view separators = " \t,;|:=\"'#%!";
  for (std::size_t at = 0; at < line.size();) {
    if (separators.find(line[at]) != std::string_view::npos) {
      ++at;
      continue;
    }
    const char close = closing(line[at]);
    std::size_t end = close == '\0' ? std::string_view::npos : line.find(close, at + 1);
    if (end != std::string_view::npos) {
      pieces.push_back({std::string(line.substr(at + 1, end - at - 1)), true});
      at = end + 1;
      continue;
    }
    end = std::min(line.find_first_of(" \t,;|:=\"'([<", at + 1), line.size());
    pieces.push_back({std::string(line.substr(at, end - at)), false});
    at = end;
  }
  return pieces;
}

bool isQ(const Piece &piece) { return hasWord(Heading::Q, lower(piece.text)); }

bool isBetween(const Piece &piece) {
  return !piece.bracketed && hasWord(Heading::Between, lower(piece.text));
}

/// Whether it may be said of q where no q stands beside it: cm and m are of intensities, and A-1
/// may be the name of a sample.
bool speaksOfQ(const Piece &piece, double size) {
  return size > 0.5e-3 && (piece.bracketed || lower(piece.text) != "a-1");
}

/// The unit of a piece, alone or with the next as "inverse angstrom", "1 / nm"; `at` becomes its
/// last piece.
std::optional<double> sizeAt(const std::vector<Piece> &pieces, std::size_t &at, std::string &text) {
  text = pieces[at].text;
  for (std::size_t more = 0; more < 3; ++more) {
    if (const auto size = unitSize(text, Dimension::InverseLength)) {
      at += more;
      return size;
    }
    if (pieces[at].bracketed || at + more + 1 >= pieces.size() || pieces[at + more + 1].bracketed)
      break;
    text += " " + pieces[at + more + 1].text;
  }
  text = pieces[at].text;
  return std::nullopt;
}

/// A line of units alone: of each column one, the first that of q.
bool isLineOfUnits(const std::vector<Piece> &pieces) {
  return pieces.size() > 1 && std::ranges::all_of(pieces, [](const Piece &piece) {
           return unitSize(piece.text, Dimension::InverseLength).has_value();
         });
}

/// "q/nm^-1", "q_invA": what is behind the stroke, or the underline if it is a unit. "q_A" states
/// one of lengths, and so none of q.
std::optional<std::string> behindQ(const std::string &word) {
  const std::size_t sign = word.find_first_of("/_");
  if (sign == std::string::npos || isQ({word, false}) || !isQ({word.substr(0, sign), false}))
    return std::nullopt;
  const std::string unit = word.substr(sign + 1);
  const bool stated = word[sign] == '/' || unitSize(unit, Dimension::InverseLength) ||
                      unitSize(unit, Dimension::Length);
  return stated ? std::optional(unit) : std::nullopt;
}

} // namespace

std::optional<double> unitSize(std::string_view stated, Dimension dimension) {
  const bool inverse = dimension == Dimension::InverseLength;
  std::string text = inOneSpelling(stated);
  std::erase(text, ' ');
  withoutBrackets(text);
  double number = takeNumber(text);
  if (takeInverse(text) != inverse || !(number > 0) || !std::isfinite(number))
    return std::nullopt;
  const Row *row = find(text, inverse ? Dimension::Length : dimension);
  if (row == nullptr)
    return std::nullopt;
  return inverse ? number / row->size : number * row->size;
}

std::vector<StatedUnit> unitsOfQ(std::string_view line) {
  const std::vector<Piece> pieces = piecesOf(line);
  std::vector<StatedUnit> found;
  if (isLineOfUnits(pieces))
    return {{pieces[0].text, *unitSize(pieces[0].text, Dimension::InverseLength), true}};
  bool ofQ = false; // q has just been spoken of
  for (std::size_t at = 0; at < pieces.size(); ++at) {
    const Piece &piece = pieces[at];
    if (const auto unit = piece.bracketed ? std::nullopt : behindQ(piece.text)) {
      found.push_back({*unit, unitSize(*unit, Dimension::InverseLength).value_or(0), true});
      continue;
    }
    if (isQ(piece) && !(piece.bracketed && at > 0 && lower(pieces[at - 1].text) == "i")) {
      ofQ = true;
      continue;
    }
    if (ofQ && isBetween(piece))
      continue;
    std::string text;
    const auto size = sizeAt(pieces, at, text);
    if (ofQ && (size || piece.bracketed))
      found.push_back({text, size.value_or(0), true});
    else if (size && speaksOfQ(piece, *size))
      found.push_back({text, *size, false});
    ofQ = false;
  }
  return found;
}

std::vector<StatedUnit> unitsOfLength(std::string_view line) {
  const std::vector<Piece> pieces = piecesOf(line);
  std::vector<StatedUnit> found;
  for (std::size_t at = 0; at < pieces.size(); ++at) {
    const std::string before = at == 0 ? "" : lower(pieces[at - 1].text);
    const bool bound = before == "unit" || before == "units";
    const auto size = unitSize(pieces[at].text, Dimension::Length);
    if (bound && !isBetween(pieces[at]))
      found.push_back({pieces[at].text, size.value_or(0), true});
    else if (size && pieces[at].bracketed)
      found.push_back({pieces[at].text, *size, false});
  }
  return found;
}

std::string toPower(const std::string &unit, int power) {
  static const std::regex one("([^\\s\\d^/*.()+-]+)(\\^(-?[0-9]{1,3}))?");
  std::smatch parts;
  if (std::regex_match(unit, parts, one))
    return fmt::format("{}^{}", parts[1].str(),
                       parts[3].matched ? power * std::stoi(parts[3]) : power);
  return unit == "1" ? unit : fmt::format("({})^{}", unit, power);
}

} // namespace facet::runtime
