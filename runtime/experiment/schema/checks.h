// checks.h - what a value of an experiment file has to be. One that its check refuses was not
// given, so it is not written either.
#pragma once
#include "runtime/experiment/schema/value.h"
#include "runtime/files/text.h"
#include <cmath>
#include <fmt/format.h>

namespace facet::runtime::schema {

struct Any {
  bool holds(const auto &) const { return true; }
  void refuse(const Entry &, const auto &) const {}
};
inline constexpr Any any;

/// 0 where nothing is given.
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

/// delta and beta.
struct Index {
  bool holds(double value) const { return value >= 0 && value < 1; }
  void refuse(const Entry &at, double value) const {
    at.fail(fmt::format("{0} = {1} is out of range: 0 <= {0} < 1", at.key, value),
            "n = 1 - delta + i beta with both >= 0, whatever the sign convention of the table they "
            "are from");
  }
};

/// Angles of incidence, degrees.
struct Grazing {
  bool holds(const std::vector<double> &angles) const { return !angles.empty() && !bad(angles); }
  void refuse(const Entry &at, const std::vector<double> &angles) const {
    if (angles.empty())
      at.fail("'alpha_i' is to be a number or a list of numbers, degrees",
              "alpha_i = 0.2, or [0.12, 0.3]");
    at.fail(fmt::format("alpha_i = {} is not above 0 and below 90 degrees", *bad(angles)),
            "for transmission leave out alpha_i and [sample]");
  }

private:
  static std::optional<double> bad(const std::vector<double> &angles) {
    for (const double angle : angles)
      if (!(angle > 0 && angle < 90))
        return angle;
    return {};
  }
};

/// The value that a check is of.
template <class T> const T &valueOf(const T &value) { return value; }
template <class T> const T &valueOf(const std::optional<T> &value) { return *value; }

} // namespace facet::runtime::schema
