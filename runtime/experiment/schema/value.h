// value.h - values of an experiment file, read with checks and written; errors tell the line.
#pragma once
#include <algorithm>
#include <array>
#include <concepts>
#include <cstdint>
#include <facet/runtime/error.h>
#include <limits>
#include <optional>
#include <string>
#include <toml++/toml.h>
#include <vector>

namespace facet::runtime::schema {

struct Entry;

/// A table of a file, and where it is from.
struct Source {
  const toml::table &toml;
  std::string name, file; // name: of the key

  const toml::node *find(const std::string &key) const { return toml.get(key); }
  bool has(std::initializer_list<const char *> keys) const; // any of them
  std::optional<Entry> at(const std::string &key) const;
  [[noreturn]] void fail(const toml::node &at, const std::string &what,
                         const std::string &help = "") const;
  /// Throws Error for a key that is not known, with the nearest that is.
  void refuseUnknown(const std::vector<std::string> &known) const;
};

/// A key of a table with its value.
struct Entry {
  const Source &in;
  std::string key;
  const toml::node &node;

  [[noreturn]] void fail(const std::string &what, const std::string &help = "") const {
    in.fail(node, what, help);
  }
  /// The table that it is. Throws Error where it is something else.
  Source sub(const std::string &help = "") const;
  /// The tables that it is a list of, or the one that it is.
  std::vector<Source> tables() const;
  /// An input as seen from the folder of the file.
  std::string path() const;
};

void read(const Entry &at, std::string &to);
void read(const Entry &at, double &to);
void read(const Entry &at, bool &to);
/// A list, or one number.
void read(const Entry &at, std::vector<double> &to);
/// A list of so many.
std::vector<double> readNumbers(const Entry &at, std::size_t count);
/// A whole number that is not negative.
std::int64_t readWhole(const Entry &at, std::uint64_t most);
template <std::integral Whole> void read(const Entry &at, Whole &to) {
  to = static_cast<Whole>(
      readWhole(at, static_cast<std::uint64_t>(std::numeric_limits<Whole>::max())));
}
template <std::size_t n> void read(const Entry &at, std::array<double, n> &to) {
  std::ranges::copy(readNumbers(at, n), to.begin());
}
template <class T> void read(const Entry &at, std::optional<T> &to) { read(at, to.emplace()); }

/// As TOML; "" of what is not there.
std::string text(const std::string &value);
std::string text(double value); // the fewest digits that read back the same
std::string text(bool value);
template <std::integral Whole> std::string text(Whole value) { return std::to_string(value); }
std::string text(const std::vector<double> &values);
template <std::size_t n> std::string text(const std::array<double, n> &values) {
  return text(std::vector<double>(values.begin(), values.end()));
}
template <class T> std::string text(const std::optional<T> &value) {
  return value ? text(*value) : "";
}

} // namespace facet::runtime::schema
