// budget.cpp - what is held of the memory; sizes of memory in words.
#include "runtime/engine/system/budget.h"
#include <charconv>
#include <facet/runtime/plan.h>
#include <fmt/format.h>

namespace facet::runtime {

Budget Budget::without(const std::string &who, double bytes) const {
  Budget less = *this;
  less.holders_.emplace_back(who, bytes);
  return less;
}

double Budget::held() const {
  double all = 0;
  for (const auto &[who, bytes] : holders_)
    all += bytes;
  return all;
}

std::string Budget::text() const {
  std::string text = showBytes(all_) + " allowed";
  for (std::size_t k = 0; k < holders_.size(); ++k)
    text += fmt::format("{} {} {}", k == 0 ? ":" : ",", holders_[k].first,
                        showBytes(holders_[k].second));
  return text + fmt::format("; {} left", showBytes(left()));
}

double parseBytes(const std::string &text) {
  struct Unit {
    const char *name;
    double bytes;
  };
  constexpr Unit units[] = {{"", 1},    {"B", 1},     {"kB", 1e3}, {"KB", 1e3},
                            {"K", 1e3}, {"MB", 1e6},  {"M", 1e6},  {"GB", 1e9},
                            {"G", 1e9}, {"TB", 1e12}, {"T", 1e12}};
  double number = 0;
  const char *const end = text.data() + text.size();
  const auto [unit, error] = std::from_chars(text.data(), end, number);
  for (const Unit &u : units)
    if (error == std::errc() && std::string_view(unit, end) == u.name && number > 0 &&
        number * u.bytes < 1e18)
      return number * u.bytes;
  throw Error("memory '" + text + "'", "not a size", "e.g. 8GB, 500MB");
}

std::string showBytes(double bytes) {
  if (bytes >= 1e9)
    return fmt::format("{:.3g} GB", bytes / 1e9);
  return bytes >= 1e6 ? fmt::format("{:.3g} MB", bytes / 1e6)
                      : fmt::format("{:.3g} kB", bytes / 1e3);
}

} // namespace facet::runtime
