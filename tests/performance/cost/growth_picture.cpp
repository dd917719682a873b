// growth_picture.cpp - seconds and bytes over sizes on logarithmic axes.
#include "growth.h"
#include "runtime/output/figure.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace facet::bench {
namespace {

using namespace runtime::plot;
using runtime::Box;
using runtime::Colour;
using runtime::Scale;

constexpr std::array<Colour, 3> colours{Colour{210, 90, 30}, Colour{40, 110, 180},
                                        Colour{50, 140, 70}};

Scale scaleOf(const std::vector<Series> &series, const std::string &label, bool bytes) {
  double least = 1e300, most = 0;
  for (const Series &each : series)
    for (const Growth &curve : each.curves)
      for (const double value : bytes ? curve.bytes : curve.seconds) {
        least = std::min(least, value);
        most = std::max(most, value);
      }
  return {label, std::floor(std::log10(least)), std::ceil(std::log10(most)), true};
}

Panel panelOf(const Box &box, const Series &series, bool bytes, const Scale &y) {
  const std::vector<double> &size = series.curves.front().size;
  const Scale x{series.axis, std::floor(std::log10(size.front()) + 0.05) - 0.05,
                std::ceil(std::log10(size.back()) - 0.05) + 0.05, true};
  Panel panel{.box = box, .x = x, .y = y, .title = bytes ? "" : series.rest, .size = 0.8};
  for (std::size_t k = 0; k < series.curves.size(); ++k) {
    const Growth &curve = series.curves[k];
    const std::vector<double> &at = bytes ? curve.bytes : curve.seconds;
    panel.add(Line{curve.size, at, colours[k], 2.5});
    for (std::size_t i = 0; i < at.size(); ++i)
      panel.add(Disc{curve.size[i], at[i], 3.5, colours[k]});
    if (!bytes)
      panel.add(
          Text{std::pow(10, x.low), std::pow(10, y.high),
               fmt::format("{}: slope {:.2f}", curve.name, fit(curve.size, curve.seconds).slope),
               0.9, 0, colours[k], 20, 25 + 30 * static_cast<double>(k)});
  }
  return panel;
}

} // namespace

void draw(const std::string &path, const std::string &title, const std::vector<Series> &series) {
  Figure figure;
  Panel page = figure.page();
  addHeading(page, 30, title, 1);
  figure.panels.push_back(page);
  Scale seconds = scaleOf(series, "seconds", false), bytes = scaleOf(series, "working bytes", true);
  for (std::size_t p = 0; p < series.size(); ++p) {
    const double left = 120 + 565 * static_cast<double>(p);
    figure.panels.push_back(panelOf({left, 95, 480, 430}, series[p], false, seconds));
    figure.panels.push_back(panelOf({left, 630, 480, 180}, series[p], true, bytes));
    seconds.label = bytes.label = "";
  }
  runtime::plot::draw(figure, path);
}

} // namespace facet::bench
