// scale.cpp - places and colours of values; what is drawn of F, and the scale it is drawn on.
#include "runtime/output/scale.h"
#include <algorithm>
#include <array>
#include <cmath>
#include <facet/runtime/error.h>
#include <limits>
#include <numbers>

namespace facet::runtime {

namespace {
/// "nm^3" to a power.
std::string unitText(const std::string &unit, int power) {
  if (unit.empty())
    return " (arb. units)";
  std::size_t hat = unit.find('^');
  int own = hat == std::string::npos ? 1 : std::atoi(unit.c_str() + hat + 1);
  return " (" + unit.substr(0, hat) + raised(own * power) + ")";
}
} // namespace

Colour colourAt(double place, ColourMap map) {
  using enum ColourMap;
  static const std::array<std::vector<Colour>, 3> tables = [] {
    std::array<std::vector<Colour>, 3> all;
#define FACET_COLOUR(map, r, g, b) all[static_cast<std::size_t>(map)].push_back({r, g, b});
#include "runtime/output/colours.def"
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
  high = std::log10(range.high());
  // A flat result fills its own range, at least one decade where so many are asked for.
  low = std::max(high - decades, std::min(std::log10(range.smallest()), high - 1));
}

Ticks Scale::ticks(int parts) const {
  return marks                      ? *marks
         : map == ColourMap::Cyclic ? phaseTicks()
         : log                      ? logTicks(low, high, parts)
                                    : linearTicks(low, high, parts);
}

void FiniteRange::see(double value) {
  if (!std::isfinite(value))
    return;
  low_ = std::min(low_, value);
  high_ = std::max(high_, value);
  if (value > 0)
    smallest_ = std::min(smallest_, value);
}

Scale scaleOf(const Output &output, const PictureOptions &options, bool curve) {
  Scale scale;
  const std::string &quantity = options.quantity;
  const bool power = quantity == "|F|^2" || quantity == "|F|", phase = quantity == "phase";
  FiniteRange range;
  for (const auto &f : *output.f)
    range.see(quantityOf(quantity, f));
  const double low = range.low(), high = range.high();
  scale.log = options.log && power && high > 0;
  if (scale.log) {
    scale.setDecades(range, options.decades);
  } else if (phase) {
    scale.low = -std::numbers::pi, scale.high = std::numbers::pi;
    scale.map = ColourMap::Cyclic;
  } else {
    scale.low = power ? std::min(0.0, low) : low;
    scale.high = high > scale.low ? high : scale.low + 1;
    if (!power && !curve) {
      scale.high = low == 0 && high == 0 ? 1 : std::max(std::abs(low), std::abs(high));
      scale.low = -scale.high;
      scale.map = ColourMap::Diverging;
    }
  }
  if (quantity == "|F|^2")
    scale.label = "|F|" + raised(2) + unitText(output.unit, 2);
  else if (phase)
    scale.label = "phase of F (rad)";
  else
    scale.label = (quantity == "|F|"  ? "|F|"
                   : quantity == "re" ? "Re F"
                                      : "Im F") +
                  unitText(output.unit, 1);
  return scale;
}

} // namespace facet::runtime
