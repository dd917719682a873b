// scale.cpp - what is drawn of F, and the scale it is drawn on.
#include "runtime/output/scale.h"
#include <algorithm>
#include <cmath>
#include <facet/runtime/error.h>
#include <limits>

namespace facet::runtime {

std::string raised(int power) {
  static const char *const digits[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
  std::string text = power < 0 ? "⁻" : "";
  for (char c : std::to_string(std::abs(power)))
    text += digits[c - '0'];
  return text;
}

namespace {
/// "nm^3" to a power.
std::string unitText(const std::string &unit, int power) {
  if (unit.empty())
    return " (arb. units)";
  std::size_t hat = unit.find('^');
  int own = hat == std::string::npos ? 1 : std::atoi(unit.c_str() + hat + 1);
  return " (" + escaped(unit.substr(0, hat)) + raised(own * power) + ")";
}
} // namespace

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
  double at = place(value);
  return std::isnan(at) ? noColour : colourAt((at - low) / (high - low));
}

void FiniteRange::see(double value) {
  if (!std::isfinite(value))
    return;
  low_ = std::min(low_, value);
  high_ = std::max(high_, value);
  if (value > 0)
    smallest_ = std::min(smallest_, value);
}

Scale scaleOf(const Output &output, const PictureOptions &options) {
  Scale scale;
  bool power = options.quantity == "|F|^2" || options.quantity == "|F|";
  scale.log = options.log && power;
  FiniteRange range;
  for (const auto &f : *output.f)
    range.see(quantityOf(options.quantity, f));
  const double low = range.low(), high = range.high(), smallest = range.smallest();
  scale.log = scale.log && high > 0;
  if (scale.log) {
    scale.high = std::log10(high);
    scale.low = scale.high - options.decades;
    // A flat result fills its own range, at least one decade.
    double bottom = std::log10(smallest);
    if (bottom > scale.low)
      scale.low = std::min(bottom, scale.high - 1);
  } else {
    scale.low = power ? std::min(0.0, low) : low;
    scale.high = high > scale.low ? high : scale.low + 1;
  }
  if (options.quantity == "|F|^2")
    scale.label = "|F|" + raised(2) + unitText(output.unit, 2);
  else if (options.quantity == "phase")
    scale.label = "phase of F (rad)";
  else
    scale.label = (options.quantity == "|F|"  ? "|F|"
                   : options.quantity == "re" ? "Re F"
                                              : "Im F") +
                  unitText(output.unit, 1);
  return scale;
}

std::string axisLabel(int component) {
  return std::string("q#d") + "xyz"[component] + "#u (nm" + raised(-1) + ")";
}

} // namespace facet::runtime
