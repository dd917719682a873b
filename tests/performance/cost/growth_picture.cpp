// growth_picture.cpp - seconds and bytes over sizes on logarithmic axes.
#include "growth.h"
#include "runtime/output/canvas.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace facet::bench {
namespace {

using runtime::Box;
using runtime::Canvas;
using runtime::Colour;

constexpr Colour black{30, 30, 30};
constexpr std::array<Colour, 3> colours{Colour{210, 90, 30}, Colour{40, 110, 180},
                                        Colour{50, 140, 70}};

struct Range {
  double from, to; // powers of ten
};

Range rangeOf(const std::vector<Series> &series, bool bytes) {
  double least = 1e300, most = 0;
  for (const Series &each : series)
    for (const Growth &curve : each.curves)
      for (const double value : bytes ? curve.bytes : curve.seconds) {
        least = std::min(least, value);
        most = std::max(most, value);
      }
  return {std::floor(std::log10(least)), std::ceil(std::log10(most))};
}

std::vector<double> logarithms(const std::vector<double> &values) {
  std::vector<double> result;
  for (const double value : values)
    result.push_back(std::log10(value));
  return result;
}

void panel(Canvas &canvas, const Box &box, const Series &series, bool bytes, const Range &y) {
  const std::vector<double> &size = series.curves.front().size;
  const double from = std::floor(std::log10(size.front()) + 0.05) - 0.05;
  const double to = std::ceil(std::log10(size.back()) - 0.05) + 0.05;
  canvas.window(box, from, to, y.from, y.to);
  canvas.colour(black, 1);
  canvas.frame("bclnst", 1, 9, "bclnstv", 1, 9);
  canvas.text(box.left + box.width / 2, box.top + box.height + 50, 0.5, series.axis);
  for (std::size_t k = 0; k < series.curves.size(); ++k) {
    const Growth &curve = series.curves[k];
    canvas.window(box, from, to, y.from, y.to); // text has a window of its own
    const std::vector<double> x = logarithms(curve.size),
                              at = logarithms(bytes ? curve.bytes : curve.seconds);
    canvas.line(x, at, colours[k], 2.5);
    for (std::size_t i = 0; i < x.size(); ++i)
      canvas.disc(box.left + box.width * (x[i] - from) / (to - from),
                  box.top + box.height * (y.to - at[i]) / (y.to - y.from), 3.5, colours[k]);
    canvas.colour(colours[k], 2);
    const std::string text =
        bytes ? curve.name
              : fmt::format("{}: slope {:.2f}", curve.name, fit(curve.size, curve.seconds).slope);
    if (!bytes)
      canvas.text(box.left + 20, box.top + 25 + 30 * static_cast<double>(k), 0, text, 0.9);
  }
}

} // namespace

void draw(const std::string &path, const std::string &title, const std::vector<Series> &series) {
  Canvas canvas(path, 1200, 900);
  canvas.colour(black);
  canvas.text(600, 30, 0.5, runtime::escaped(title));
  const Range seconds = rangeOf(series, false), bytes = rangeOf(series, true);
  for (std::size_t p = 0; p < series.size(); ++p) {
    const double left = 110 + 570 * static_cast<double>(p);
    const Box above{left, 95, 480, 430}, below{left, 630, 480, 180};
    canvas.colour(black);
    canvas.text(left + above.width / 2, above.top - 18, 0.5, runtime::escaped(series[p].rest));
    if (p == 0) {
      canvas.text(left - 80, above.top + above.height / 2, 0.5, "seconds", 1, true);
      canvas.text(left - 80, below.top + below.height / 2, 0.5, "working bytes", 1, true);
    }
    panel(canvas, above, series[p], false, seconds);
    canvas.colour(black);
    panel(canvas, below, series[p], true, bytes);
  }
  canvas.commit();
}

} // namespace facet::bench
