// value.cpp - values of an experiment file, read with checks and written.
#include "runtime/scattering/experiment/value.h"
#include "runtime/engine/system/text.h"
#include "runtime/engine/system/toml.h"
#include "runtime/engine/system/units.h"
#include <charconv>
#include <facet/runtime/experiment.h>
#include <filesystem>
#include <fmt/format.h>
#include <map>
#include <sstream>

namespace facet::runtime::schema {
namespace fs = std::filesystem;

namespace {

/// A kind of number: the unit of a key, and others that a text may state.
struct Kind {
  std::string unit, name;
  std::optional<Dimension> dimension; // none: those of `others`
  std::vector<std::string> known;
  std::string example;
};

const Kind *kindOf(const std::string &unit) {
  static const std::vector<Kind> all{
      {"nm", "length", Dimension::Length, {"A", "nm", "um", "mm", "m"}, "\"12 A\""},
      {"m", "length", Dimension::Length, {"nm", "um", "mm", "m"}, "\"172 um\""},
      {"eV", "energy", Dimension::Energy, {"meV", "eV", "keV", "MeV"}, "\"8 keV\""},
      {"deg", "angle", Dimension::Angle, {"deg", "mrad", "rad"}, "\"0.3 deg\""},
      {"rad", "angle", Dimension::Angle, {"deg", "mrad", "rad"}, "\"0.3 deg\""},
      {"nm^-1",
       "wavevector",
       Dimension::InverseLength,
       {"1/nm", "1/A", "nm^-1", "A^-1"},
       "\"0.1 1/A\""},
      {"g/cm^3", "mass density", {}, {"g/cm^3", "kg/m^3"}, "\"2200 kg/m^3\""},
      {"s", "time", {}, {"s", "ms", "min", "h"}, "\"5 min\""}};
  const auto found = std::ranges::find(all, unit, &Kind::unit);
  return found == all.end() ? nullptr : &*found;
}

/// How many of one kind's own unit one of the stated is.
std::optional<double> sizeIn(const Kind &kind, const std::string &stated) {
  if (kind.dimension) {
    const auto size = unitSize(stated, *kind.dimension);
    return size ? std::optional(*size / *unitSize(kind.unit, *kind.dimension)) : size;
  }
  static const std::map<std::string, double> others{{"g/cm^3", 1},   {"g/cm3", 1}, {"kg/m^3", 1e-3},
                                                    {"kg/m3", 1e-3}, {"s", 1},     {"ms", 1e-3},
                                                    {"min", 60},     {"h", 3600}};
  const bool second = others.contains(stated) && (stated.find('/') == stated.npos);
  return others.contains(stated) && second == (kind.unit == "s") ? std::optional(others.at(stated))
                                                                 : std::nullopt;
}

/// The number that a text begins with, and what stands behind it; "" where it begins with none.
std::string splitQuantity(const std::string &text, double &number) {
  const std::size_t first = std::min(text.find_first_not_of(" +"), text.size());
  const auto [end, error] = std::from_chars(text.data() + first, text.data() + text.size(), number);
  if (error != std::errc() || !std::isfinite(number))
    return "";
  const std::string rest(end, text.data() + text.size());
  return rest.empty() ? " " : rest;
}

} // namespace

void Source::fail(const toml::node &at, const std::string &what, const std::string &help) const {
  throw Error(fmt::format("{}:{}", file, at.source().begin.line), what, help);
}

bool Source::has(std::initializer_list<const char *> keys) const {
  return std::ranges::any_of(keys, [&](const char *key) { return find(key) != nullptr; });
}

std::optional<Entry> Source::at(const std::string &key, const std::string &unit) const {
  const toml::node *node = find(key);
  return node == nullptr ? std::nullopt : std::optional<Entry>({*this, key, *node, unit});
}

std::vector<Entry> Source::entries() const {
  std::vector<Entry> all;
  for (const auto &[key, value] : toml)
    all.push_back({*this, std::string(key.str()), value});
  return all;
}

void Source::refuseUnknown(const std::vector<std::string> &known) const {
  for (const auto &[key, value] : toml)
    if (const std::string word(key.str()); std::ranges::find(known, word) == known.end())
      throw Error(fmt::format("{}:{}", file, key.source().begin.line),
                  fmt::format("unknown key '{}'{}", word,
                              name.empty() ? "" : fmt::format(" in [{}]", name)),
                  suggestion(word, known));
}

double Source::finite(const toml::node &at, const std::string &key) const {
  const double number = numberOf(at);
  if (!std::isfinite(number))
    fail(at, fmt::format("'{}' = {} is not a finite number", key, number));
  return number;
}

Source Entry::sub(const std::string &help) const {
  if (!node.is_table())
    fail(fmt::format("'{}' is to be a table", key),
         help.empty() ? fmt::format("[{}] on a line by itself", key) : help);
  return {*node.as_table(), key, in.file};
}

std::vector<Source> Entry::tables() const {
  if (const toml::table *one = node.as_table())
    return {{*one, key, in.file}};
  if (!node.is_array())
    fail(fmt::format("'{}' is to be tables", key));
  std::vector<Source> all;
  for (const toml::node &one : *node.as_array()) {
    if (!one.is_table())
      in.fail(one, fmt::format("'{}' is to be tables", key));
    all.push_back({*one.as_table(), key, in.file});
  }
  return all;
}

bool Entry::isNumber() const {
  if (node.is_number())
    return true;
  double number = 0;
  const auto text = node.value_exact<std::string>();
  return text && kindOf(unit) && !splitQuantity(*text, number).empty();
}

double Entry::number() const {
  if (!isNumber())
    fail(fmt::format("'{}' is to be a number", key),
         kindOf(unit) ? fmt::format("{}, or a text with its unit: {}", unit, kindOf(unit)->example)
                      : "");
  double value = 0;
  if (node.is_number())
    return in.finite(node, key);
  atLine(*this, [&] { value = parseQuantity(*node.value<std::string>(), unit); });
  return value;
}

std::string Entry::path() const {
  std::string path;
  read(*this, path);
  if (path.empty() || fs::path(path).is_absolute())
    return path;
  return (fs::path(in.file).parent_path() / path).lexically_normal();
}

void read(const Entry &at, std::string &to) {
  if (!at.node.is_string())
    at.fail(fmt::format("'{}' is to be a text in quotes", at.key));
  to = *at.node.value<std::string>();
}

void read(const Entry &at, double &to) { to = at.number(); }

void read(const Entry &at, bool &to) {
  if (!at.node.is_boolean())
    at.fail(fmt::format("'{}' is to be true or false", at.key));
  to = *at.node.value<bool>();
}

void read(const Entry &at, std::vector<double> &to) {
  to.clear();
  if (at.isNumber())
    to.push_back(at.number());
  else if (!at.node.is_array())
    at.fail(fmt::format("'{}' is to be a number or a list of numbers", at.key));
  else
    for (const toml::node &entry : *at.node.as_array()) {
      if (!at.with(entry).isNumber())
        at.in.fail(entry, fmt::format("'{}' is to be a list of numbers", at.key));
      to.push_back(at.with(entry).number());
    }
}

std::vector<double> readNumbers(const Entry &at, std::size_t count) {
  std::vector<double> list;
  if (at.node.is_array())
    read(at, list);
  if (list.size() != count)
    at.fail(fmt::format("'{}' is to be a list of {} numbers", at.key, count));
  return list;
}

std::int64_t readWhole(const Entry &at, std::uint64_t most) {
  const auto value = at.node.value_exact<std::int64_t>();
  if (!value || *value < 0 || static_cast<std::uint64_t>(*value) > most)
    at.fail(fmt::format("'{}' is to be a whole number, 0 or more{}", at.key,
                        value && *value > 0 ? fmt::format(", to {}", most) : ""));
  return *value;
}

std::string inlineTable(const std::vector<std::string> &parts) {
  return parts.empty() ? "" : fmt::format("{{ {} }}", fmt::join(parts, ", "));
}

std::string text(const std::string &value) {
  if (value.empty())
    return "";
  const toml::value<std::string> written(value);
  toml::format_flags flags = toml::toml_formatter::default_flags;
  // Lines would be written as they are between three quotes, which they may hold themselves.
  if (value.find('\n') != std::string::npos)
    flags &=
        ~(toml::format_flags::allow_literal_strings | toml::format_flags::allow_multi_line_strings);
  std::ostringstream out;
  out << toml::toml_formatter(written, flags);
  return out.str();
}

std::string text(double value) { return fmt::format("{}", value); }
std::string text(bool value) { return value ? "true" : "false"; }

std::string text(const std::vector<double> &values) {
  return values.empty() ? "" : fmt::format("[{}]", fmt::join(values, ", "));
}

} // namespace facet::runtime::schema

namespace facet::runtime {
using namespace schema;

std::string axisIn(const std::string &unit, const std::string &text) {
  const std::size_t blank = text.find_last_of(' ');
  const std::string last = text.substr(blank + 1);
  const bool log = text.starts_with("log ");
  double number = 0;
  // What has an imaginary part, which stands behind all, is left to parseAxis(), which refuses it.
  if (blank == text.npos || last.empty() || last.find_first_of(":,") != text.npos ||
      parseNumber(last, number) || text.substr(0, blank).ends_with('i') || last.ends_with('i'))
    return text;
  const double size = parseQuantity("1 " + last, unit);
  const std::string body = text.substr(log ? 4 : 0, blank - (log ? 4 : 0));
  Words parts;
  splitWords(body, parts, " :,");
  const bool range = body.find(':') != body.npos;
  std::vector<std::string> scaled;
  for (const std::string_view part : parts)
    if (const bool count = range && scaled.size() == 2; count || !parseNumber(part, number))
      scaled.emplace_back(part); // parseAxis() says what is wrong with it
    else
      scaled.push_back(fmt::format("{}", number * size));
  return (log ? "log " : "") + fmt::format("{}", fmt::join(scaled, range ? ":" : ","));
}

double parseQuantity(const std::string &text, const std::string &unit) {
  const Kind &kind = *kindOf(unit);
  double number = 0;
  const std::string stated = splitQuantity(text, number);
  const std::size_t first = std::min(stated.find_first_not_of(' '), stated.size());
  const std::string name = stated.substr(first, stated.find_last_not_of(' ') + 1 - first);
  if (name.empty())
    throw Error("'" + text + "'", stated.empty() ? "is no number" : "has no unit",
                fmt::format("write {}; units are {}", kind.example, fmt::join(kind.known, ", ")));
  const auto size = sizeIn(kind, name);
  if (!size)
    throw Error("'" + text + "'", fmt::format("'{}' is no unit of {}", name, kind.name),
                suggestion(name, kind.known, "units are"));
  return number * *size;
}

} // namespace facet::runtime
