// scale.cpp - numbers of axes, chosen so that two of them at least are seen; places and colours.
#include "runtime/picture/scale.h"
#include "runtime/engine/system/units.h"
#include <array>
#include <charconv>
#include <cstdlib>
#include <facet/runtime/error.h>
#include <fmt/format.h>
#include <limits>
#include <numbers>
#include <ranges>

namespace facet::runtime {

namespace {

constexpr double slack = 1e-9; // of a step: rounding hides no tick at an end

/// The power of ten in which numbers up to `largest` are written: none from 0.01 to 9999.
int powerOf(double largest) {
  if (!(largest > 0) || !std::isfinite(largest))
    return 0;
  const int power = static_cast<int>(std::floor(std::log10(largest) + slack));
  return power >= 4 || power <= -3 ? power : 0;
}

/// A number whose neighbours are `step` away, both in parts of 10^power.
std::string textOf(double value, double step, int power) {
  const double scale = std::pow(10, -power);
  const int digits =
      std::clamp(-static_cast<int>(std::floor(std::log10(step * scale) + slack)), 0, 15);
  const std::string text = fmt::format("{:.{}f}", value * scale, digits);
  return text.find_first_not_of("-0.") == std::string::npos && text[0] == '-' ? text.substr(1)
                                                                              : text;
}

/// Multiples of `step` from `low` to `high`.
template <class Use> void eachMultiple(double low, double high, double step, const Use &use) {
  const auto last = static_cast<long>(std::floor(high / step + slack));
  for (auto i = static_cast<long>(std::ceil(low / step - slack)); i <= last; ++i)
    use(static_cast<double>(i) * step);
}

bool isLabelled(const Ticks &ticks, double at, double range) {
  return std::any_of(ticks.labelled.begin(), ticks.labelled.end(),
                     [&](const Tick &t) { return std::abs(t.at - at) < 1e-6 * range; });
}

/// 1 to 9 times each power of ten, without those that have a number.
void addParts(double low, double high, Ticks &to) {
  for (double power = std::floor(low); power <= high; ++power)
    for (int digit = 1; digit < 10; ++digit)
      if (const double at = power + std::log10(digit);
          at >= low && at <= high && !isLabelled(to, at, high - low))
        to.plain.push_back(at);
}

Ticks wholePowers(double low, double high, int parts) {
  Ticks ticks;
  const double step = std::max(1.0, std::ceil((high - low) / std::max(parts, 10)));
  eachMultiple(low, high, step, [&](double at) {
    ticks.labelled.push_back({at, "10" + raised(static_cast<int>(std::lround(at)))});
  });
  if (high - low <= 10)
    addParts(low, high, ticks);
  else
    eachMultiple(low, high, 1, [&](double at) {
      if (!isLabelled(ticks, at, high - low))
        ticks.plain.push_back(at);
    });
  return ticks;
}

/// -pi, -pi/2, .. pi.
Ticks phaseTicks() {
  constexpr double pi = std::numbers::pi;
  Ticks ticks;
  ticks.labelled = {{-pi, "-π"}, {-pi / 2, "-π/2"}, {0, "0"}, {pi / 2, "π/2"}, {pi, "π"}};
  ticks.plain = {-3 * pi / 4, -pi / 4, pi / 4, 3 * pi / 4};
  return ticks;
}

} // namespace

double niceStep(double range, int parts) {
  const double rough = range / parts, power = std::pow(10, std::floor(std::log10(rough)));
  for (const double factor : {1.0, 2.0, 5.0})
    if (factor * power >= rough * 0.999)
      return factor * power;
  return 10 * power;
}

Ticks linearTicks(double low, double high, int parts) {
  Ticks ticks;
  const double range = high - low;
  if (!(range > 0) || !std::isfinite(range))
    return ticks;
  ticks.power = powerOf(std::max(std::abs(low), std::abs(high)));
  double step = niceStep(range, parts);
  // The axis is no longer than rounding: no number would differ from the next.
  if (!(step > 1e-13 * std::max(std::abs(low), std::abs(high))))
    return ticks;
  while (std::floor(high / step + slack) - std::ceil(low / step - slack) < 1)
    step = niceStep(range, parts *= 2); // by bad luck one multiple at most lies within
  eachMultiple(low, high, step,
               [&](double at) { ticks.labelled.push_back({at, textOf(at, step, ticks.power)}); });
  const bool two = std::abs(step / std::pow(10, std::floor(std::log10(step) + slack)) - 2) < 1e-3;
  eachMultiple(low, high, step / (two ? 4 : 5), [&](double at) {
    if (!isLabelled(ticks, at, step))
      ticks.plain.push_back(at);
  });
  return ticks;
}

Ticks logTicks(double low, double high, int parts) {
  if (std::floor(high + slack) - std::ceil(low - slack) >= 1)
    return wholePowers(low, high, parts);
  Ticks ticks;
  const double from = std::pow(10, low), to = std::pow(10, high);
  ticks.power = powerOf(to);
  for (double power = std::floor(low); power <= high; ++power)
    for (const int digit : {1, 2, 5})
      if (const double at = power + std::log10(digit); at >= low - slack && at <= high + slack)
        ticks.labelled.push_back({at, textOf(std::pow(10, at), std::pow(10, power), ticks.power)});
  if (ticks.labelled.size() > 2) {
    addParts(low, high, ticks);
    return ticks;
  }
  Ticks linear = linearTicks(from, to, parts);
  for (Tick &tick : linear.labelled)
    tick.at = std::log10(tick.at);
  for (double &at : linear.plain)
    at = std::log10(at);
  return linear;
}

std::string withPower(const std::string &label, int power) {
  if (power == 0)
    return label;
  const std::string factor = "10" + raised(power);
  const std::size_t unit = label.rfind(" (");
  if (unit == std::string::npos || label.back() != ')')
    return fmt::format("{} ({})", label, factor);
  return fmt::format("{} ({} {}", label.substr(0, unit), factor, label.substr(unit + 2));
}

std::string raised(int power) {
  static const char *const digits[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
  std::string text = power < 0 ? "⁻" : "";
  for (const char c : std::to_string(std::abs(power)))
    text += digits[c - '0'];
  return text;
}

std::string withRaised(const std::string &text) {
  std::string result;
  for (const char *at = text.data(), *const end = at + text.size(); at != end;) {
    int power = 0;
    const auto [behind, error] = std::from_chars(at + 1, end, power);
    if (*at == '^' && error == std::errc()) {
      result += raised(power);
      at = behind;
    } else {
      result += *at++;
    }
  }
  return result;
}

Colour colourAt(double place, ColourMap map) {
  using enum ColourMap;
  static const std::array<std::vector<Colour>, 3> tables = [] {
    std::array<std::vector<Colour>, 3> all;
    const auto part = [](unsigned word) { return static_cast<unsigned char>(word & 255); };
#define FACET_COLOURS(map, ...)                                                                    \
  for (const unsigned c : {__VA_ARGS__})                                                           \
    all[static_cast<std::size_t>(map)].push_back({part(c >> 16), part(c >> 8), part(c)});
#include "runtime/picture/colours.def"
    return all;
  }();
  const std::vector<Colour> &table = tables[static_cast<std::size_t>(map)];
  const double at = std::clamp(place, 0.0, 1.0) * static_cast<double>(table.size() - 1);
  const auto i = std::min(static_cast<std::size_t>(at), table.size() - 2);
  const double part = at - static_cast<double>(i);
  const auto mix = [&](unsigned char a, unsigned char b) {
    return static_cast<unsigned char>(std::lround(a + (b - a) * part));
  };
  return {mix(table[i].r, table[i + 1].r), mix(table[i].g, table[i + 1].g),
          mix(table[i].b, table[i + 1].b)};
}

double quantityOf(const std::string &quantity, const std::complex<double> &f) {
  if (quantity == "|F|^2")
    return std::norm(f);
  if (quantity == "|F|")
    return std::abs(f);
  if (quantity == "re")
    return f.real();
  if (quantity == "im")
    return f.imag();
  if (quantity == "phase")
    return std::arg(f);
  throw Error("quantity '" + quantity + "'", "cannot be drawn", "use |F|^2, |F|, re, im or phase");
}

double Scale::place(double value) const {
  if (!std::isfinite(value) || (log && value < 0))
    return std::numeric_limits<double>::quiet_NaN();
  if (!log)
    return value;
  return value == 0 ? low : std::log10(value);
}

Colour Scale::colour(double value) const {
  const double at = part(value);
  return std::isnan(at) ? noColour : colourAt(at, map);
}

void Scale::setDecades(const FiniteRange &range, double decades) {
  log = true;
  high = std::log10(range.high);
  // A flat result fills its own range, at least one decade if so many are requested.
  low = std::max(high - decades, std::min(std::log10(range.smallest), high - 1));
}

Ticks Scale::ticks(int parts) const {
  return marks                      ? *marks
         : map == ColourMap::Cyclic ? phaseTicks()
         : log                      ? logTicks(low, high, parts)
                                    : linearTicks(low, high, parts);
}

Scale scaleOf(const Output &output, const PictureOptions &options, bool curve) {
  Scale scale;
  const std::string &quantity = options.quantity;
  const bool power = quantity == "|F|^2" || quantity == "|F|", phase = quantity == "phase";
  const FiniteRange range(*output.f | std::views::transform([&](const std::complex<double> &f) {
    return quantityOf(quantity, f);
  }));
  const double low = range.low, high = range.high;
  scale.log = options.log && power && high > 0;
  if (scale.log) {
    scale.setDecades(range, options.decades);
  } else if (phase) {
    scale.low = -std::numbers::pi, scale.high = std::numbers::pi;
    scale.map = ColourMap::Cyclic;
  } else {
    scale.low = power ? std::min(0.0, low) : low;
    scale.high = high > scale.low ? high : scale.low + std::max(1.0, std::abs(scale.low));
    if (!power && !curve) {
      scale.high = low == 0 && high == 0 ? 1 : std::max(std::abs(low), std::abs(high));
      scale.low = -scale.high;
      scale.map = ColourMap::Diverging;
    }
  }
  const std::string unit =
      output.unit.empty() ? "arb. units" : toPower(output.unit, quantity == "|F|^2" ? 2 : 1);
  const std::string of = output.name.empty() ? "F" : output.name;
  std::string name = quantity == "re" ? "Re F" : quantity == "im" ? "Im F" : quantity;
  if (!phase)
    name.replace(name.find('F'), 1, of);
  scale.label =
      phase ? "phase of " + of + " (rad)" : withRaised(fmt::format("{} ({})", name, unit));
  return scale;
}

} // namespace facet::runtime
