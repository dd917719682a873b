// value.h - values of an experiment file, read with checks and written; errors name the line. A
// value that its check refuses was not given, so it is not written either.
#pragma once
#include "runtime/engine/system/text.h"
#include <algorithm>
#include <array>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <facet/runtime/error.h>
#include <fmt/format.h>
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
  std::optional<Entry> at(const std::string &key, const std::string &unit = "") const;
  [[noreturn]] void fail(const toml::node &at, const std::string &what,
                         const std::string &help = "") const;
  [[noreturn]] void fail(const std::string &what, const std::string &help = "") const {
    fail(toml, what, help);
  }
  void refuse(bool wrong, const std::string &what, const std::string &help = "") const {
    if (wrong)
      fail(what, help);
  }
  /// The number at this node. Throws Error for nan and inf.
  double finite(const toml::node &at, const std::string &key) const;
  std::vector<Entry> entries() const;
  /// Throws Error for a key that is not known, with the nearest that is.
  void refuseUnknown(const std::vector<std::string> &known) const;
};

/// A key of a table with its value.
struct Entry {
  const Source &in;
  std::string key;
  const toml::node &node;
  std::string unit = ""; // of the key; a text may state another of its kind

  [[noreturn]] void fail(const std::string &what, const std::string &help = "") const {
    in.fail(node, what, help);
  }
  Entry with(const toml::node &other) const { return {in, key, other, unit}; }
  /// Whether it is a number, or a text with a number and a unit.
  bool isNumber() const;
  /// The number, in the unit of the key. Throws Error for nan and inf.
  double number() const;
  /// The entry as a table. Throws Error if it is something else.
  Source sub(const std::string &help = "") const;
  /// The entry as a list of tables, or as one table.
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

/// "{ a = 1, b = 2 }" of such parts, "" if there are none.
std::string inlineTable(const std::vector<std::string> &parts);
/// The value as TOML; "" if there is none.
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

/// "{ first, "a" = 1 }" of pairs of a name and a value that `write` turns into text.
std::string inlineTable(const auto &pairs, const auto &write, const std::string &first = "") {
  std::vector<std::string> parts(first.empty() ? 0 : 1, first);
  for (const auto &[name, value] : pairs)
    parts.push_back(fmt::format("{} = {}", text(name), write(value)));
  return inlineTable(parts);
}

/// Runs `action`; what it throws is thrown with the line of the file.
void atLine(const auto &place, const auto &action) {
  try {
    action();
  } catch (const Error &e) {
    place.fail(e.what());
  }
}

/// A value that is read and written in a form of its own. `counts`: for the identity of a run.
template <class Read, class Write> struct Form {
  Read read;
  Write write;
  bool counts = true;
};

// Checks of values that are read and written in the form of their type.

struct Any {
  bool holds(const auto &) const { return true; }
  void refuse(const Entry &, const auto &) const {}
};
inline constexpr Any any;

/// 0 means that nothing is given.
struct NotZero {
  bool holds(double value) const { return value != 0; }
  void refuse(const Entry &, double) const {}
};
inline constexpr NotZero not0;

struct Above0 {
  const char *what, *help = "";
  bool holds(double value) const { return value > 0 && std::isfinite(value); }
  void refuse(const Entry &at, double) const {
    at.fail(fmt::format("{} is to be above 0", what), help);
  }
};

struct OneOf {
  std::vector<std::string> known;
  bool holds(const std::string &word) const {
    return std::ranges::find(known, word) != known.end();
  }
  void refuse(const Entry &at, const std::string &word) const {
    at.fail(fmt::format("unknown {} '{}'", at.key, word), suggestion(word, known));
  }
};

/// A value that a material gives is not written.
struct Unless {
  bool given;
  bool holds(const auto &) const { return !given; }
  void refuse(const Entry &, const auto &) const {}
};

/// delta and beta. For neutrons delta may be negative, which checkMaterials() sees.
struct Index {
  bool given = false; // by a material, and not written
  double lowest = 0;
  bool holds(double value) const { return !given && value >= lowest && value < 1; }
  void refuse(const Entry &at, double value) const {
    at.fail(fmt::format("{0} = {1} is out of range: 0 <= {0} < 1", at.key, value),
            "n = 1 - delta + i beta with both >= 0, whatever the sign convention of the table they "
            "are from");
  }
};

/// Angles of incidence, degrees.
struct Grazing {
  static bool fits(double angle) { return angle > 0 && angle < 90; }
  bool holds(const std::vector<double> &angles) const {
    return !angles.empty() && std::ranges::all_of(angles, fits);
  }
  void refuse(const Entry &at, const std::vector<double> &angles) const {
    if (angles.empty())
      at.fail("'alpha_i' is to be a number or a list of numbers, degrees",
              "alpha_i = 0.2, or [0.12, 0.3]");
    at.fail(fmt::format("alpha_i = {} is not above 0 and below 90 degrees",
                        *std::ranges::find_if_not(angles, fits)),
            "for transmission leave out alpha_i and [sample]");
  }
};

/// Widths that blur: none is below 0.
struct Widths {
  bool holds(const std::vector<double> &all) const {
    return !all.empty() && std::ranges::all_of(all, [](double w) { return w >= 0; });
  }
  void refuse(const Entry &at, const std::vector<double> &) const {
    at.fail(fmt::format("'{}' is to be a number, or a list of numbers, none below 0", at.key),
            "0 where nothing is smeared");
  }
};
inline constexpr Widths widths;

/// Nodes of a rule whose error is the difference to that of two fewer.
struct Nodes {
  bool holds(int n) const { return n >= 3 && n <= 31; }
  void refuse(const Entry &at, int n) const {
    at.fail(fmt::format("{} = {} is no number of nodes from 3 to 31", at.key, n),
            "5; the error is the difference to two nodes fewer");
  }
};

/// Probabilities of quantiles.
struct Probabilities {
  bool holds(const std::vector<double> &all) const {
    return !all.empty() && std::ranges::all_of(all, [](double p) { return p >= 0 && p <= 1; });
  }
  void refuse(const Entry &at, const std::vector<double> &) const {
    at.fail(fmt::format("'{}' is to be a list of probabilities, 0 to 1", at.key),
            "quantiles = [0.01, 0.05]");
  }
};

/// The value that a check looks at.
template <class T> const T &valueOf(const T &value) { return value; }
template <class T> const T &valueOf(const std::optional<T> &value) { return *value; }

} // namespace facet::runtime::schema
