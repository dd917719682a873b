// parse.cpp - an axis of q from text such as "-2:2:500".
#include "runtime/files/text.h"
#include <cmath>
#include <facet/runtime/error.h>
#include <facet/runtime/grid.h>
#include <string_view>

namespace facet::runtime {

namespace {
constexpr std::int64_t longest = 10'000'000;

[[noreturn]] void refuse(const std::string &text, const std::string &why) {
  throw Error("axis '" + text + "'", why,
              "write a number 0.1, a list 0.1,0.2,0.5, from:to:n (-2:2:500) or 'log from:to:n' "
              "(log 0.01:5:200); +0.01i at the end adds an imaginary part to each (nm^-1)");
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ')
    text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ')
    text.remove_suffix(1);
  return text;
}

template <class Number> bool parse(std::string_view word, Number &value) {
  return parseNumber(trimmed(word), value);
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (std::size_t at = 0;;) {
    std::size_t end = text.find(separator, at);
    parts.push_back(text.substr(at, end - at));
    if (end == std::string_view::npos)
      return parts;
    at = end + 1;
  }
}

/// Cuts "+0.01i" or "-0.01i" off the end of a text; 0 if there is none.
double takeImaginary(const std::string &whole, std::string_view &text) {
  if (text.empty() || text.back() != 'i')
    return 0;
  std::size_t sign = text.size() - 1;
  do
    sign = sign == 0 ? std::string_view::npos : text.find_last_of("+-", sign - 1);
  while (sign != std::string_view::npos && sign > 0 &&
         (text[sign - 1] == 'e' || text[sign - 1] == 'E'));
  double value = 0;
  if (sign == std::string_view::npos || sign == 0 ||
      !parse(text.substr(sign, text.size() - 1 - sign), value))
    refuse(whole, "the imaginary part is not a number after a sign");
  text = trimmed(text.substr(0, sign));
  return value;
}
} // namespace

Axis linspace(double from, double to, std::int64_t n) {
  if (n < 1 || n > longest)
    throw Error("axis", "has 1 to 10000000 values, not " + std::to_string(n));
  if (!std::isfinite(from) || !std::isfinite(to))
    throw Error("axis", "its ends must be finite numbers");
  Axis axis;
  axis.re.resize(n);
  for (std::int64_t i = 0; i < n; ++i) // symmetric: q and -q come out alike to the last bit
    axis.re[i] = n == 1 ? from
                        : (from * static_cast<double>(n - 1 - i) + to * static_cast<double>(i)) /
                              static_cast<double>(n - 1);
  return axis;
}

Axis parseAxis(const std::string &whole) {
  std::string_view text = trimmed(whole);
  if (text.empty())
    refuse(whole, "the axis has no values");
  double imaginary = takeImaginary(whole, text);
  bool log = text.substr(0, 4) == "log ";
  if (log)
    text = trimmed(text.substr(4));
  auto ends = split(text, ':');
  Axis axis;
  if (ends.size() == 3) {
    double from = 0, to = 0;
    std::int64_t n = 0;
    if (!parse(ends[0], from) || !parse(ends[1], to) || !std::isfinite(from) || !std::isfinite(to))
      refuse(whole, "from and to must be numbers");
    if (!parse(ends[2], n) || n < 1 || n > longest)
      refuse(whole, "n must be a whole number from 1 to 10000000");
    if (log && (from <= 0 || to <= 0))
      refuse(whole, "a logarithmic axis needs ends greater than 0");
    axis = log ? linspace(std::log(from), std::log(to), n) : linspace(from, to, n);
    if (log) {
      for (double &value : axis.re)
        value = std::exp(value);
      axis.re.back() = n == 1 ? from : to;
      axis.re.front() = from;
    }
  } else if (ends.size() == 1 && !log) {
    for (std::string_view word : split(text, ',')) {
      double value = 0;
      if (!parse(word, value) || !std::isfinite(value))
        refuse(whole, std::string(trimmed(word)).append(" is not a finite number"));
      axis.re.push_back(value);
    }
  } else {
    refuse(whole, ends.size() == 2 ? "from:to lacks the number of values" : "this is no axis");
  }
  if (imaginary != 0)
    axis.im.assign(axis.re.size(), imaginary);
  return axis;
}

} // namespace facet::runtime
