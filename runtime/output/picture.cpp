// picture.cpp - figures of F: images, curves, scatters of points; and of a curve I(|q|).
#include "runtime/output/image.h"
#include "runtime/output/layout.h"
#include <cmath>
#include <facet/runtime/curve.h>
#include <facet/runtime/error.h>

namespace facet::runtime {

namespace {
using namespace plot;

constexpr Colour blue{31, 90, 160}, paleBlue{150, 180, 215};

std::string labelOf(int component) {
  return std::string("q_{") + "xyz"[component] + "} (nm" + raised(-1) + ")";
}

Side sideOf(const Grid &grid, int component) {
  return {edgesOf(grid.axes[component].re), labelOf(component)};
}

Figure imageOf(const Output &output, const PictureLayout &layout, const PictureOptions &options) {
  const Grid &grid = *output.grid;
  Side x{{}, "detector column"}, y{{}, "detector row"};
  if (layout.product) {
    x = sideOf(grid, layout.columnAxis);
    y = sideOf(grid, layout.rowAxis);
  } else {
    x.edges = pixelEdges(layout.columns);
    y.edges = pixelEdges(layout.rows);
  }
  // The mean of the quantity; of phases, which have no mean, the phase of the sum.
  const bool phase = options.quantity == "phase";
  const auto mean = [&output, &layout, &options, phase](const Cells &rows, const Cells &columns) {
    std::complex<double> all = 0;
    double sum = 0;
    for (auto row = rows.first; row < rows.second; ++row)
      for (auto column = columns.first; column < columns.second; ++column) {
        const auto &f = (*output.f)[static_cast<std::size_t>(layout.index(row, column))];
        if (phase)
          all += f;
        else
          sum += quantityOf(options.quantity, f);
      }
    const auto count = (rows.second - rows.first) * (columns.second - columns.first);
    return phase ? std::arg(all) : sum / static_cast<double>(count);
  };
  return imageFigure(options, x, y, scaleOf(output, options), output.title, mean);
}

/// A page with one panel, and both ends of what is across it.
Figure curveFigure(const PictureOptions &options, const Scale &x, const Scale &y,
                   const std::string &title) {
  Figure figure{.width = options.width, .height = options.height};
  const Box box{150, 80, options.width - 150.0 - 60, options.height - 80.0 - 110};
  figure.panels.push_back({.box = box, .x = x, .y = y, .title = title, .grid = true});
  return figure;
}

Scale acrossOf(const std::vector<double> &x, bool log, const std::string &label) {
  FiniteRange range;
  for (const double value : x)
    range.see(value);
  Scale scale{label, range.low(), range.high()};
  // Less than a decade is as well seen as it is.
  scale.log = log && std::log10(range.high() / range.smallest()) >= 0.95;
  if (scale.log)
    scale.low = std::log10(range.smallest()), scale.high = std::log10(range.high());
  if (!(scale.high > scale.low))
    scale.high = scale.low + 1;
  return scale;
}

bool risesByFactors(const std::vector<double> &x) {
  if (x.size() < 4 || x.front() <= 0 || x.back() <= 0 || x.back() / x.front() < 9)
    return false;
  const double ratio = x[1] / x[0], last = x[x.size() - 1] / x[x.size() - 2];
  return std::abs(ratio / last - 1) < 1e-3;
}

Figure curveOf(const Output &output, const PictureLayout &layout, const PictureOptions &options) {
  const std::vector<double> &x = output.grid->axes[layout.along].re;
  Scale upwards = scaleOf(output, options, true);
  const double margin = 0.04 * (upwards.high - upwards.low);
  upwards.low -= upwards.log ? 0 : margin, upwards.high += margin;
  Figure figure = curveFigure(options, acrossOf(x, risesByFactors(x), labelOf(layout.along)),
                              upwards, output.title);
  Line line{x, {}, blue, 2.5};
  for (const auto &f : *output.f)
    line.y.push_back(quantityOf(options.quantity, f));
  Panel &panel = figure.panels[0];
  if (x.size() <= 40)
    for (std::size_t i = 0; i < x.size(); ++i)
      if (upwards.part(line.y[i]) >= 0)
        panel.add(Disc{x[i], line.y[i], 5, blue});
  if (x.size() > 1)
    panel.add(std::move(line));
  return figure;
}

Figure scatterOf(const Output &output, const PictureLayout &layout, const PictureOptions &options) {
  const auto scale = [&](int component) {
    const auto &v = output.grid->axes[component].re;
    const auto [low, high] = std::minmax_element(v.begin(), v.end());
    const double margin = 0.03 * (*high - *low);
    return Scale{labelOf(component), *low - margin, *high + margin};
  };
  const Scale x = scale(layout.columnAxis), y = scale(layout.rowAxis);
  Figure figure = figureFor(options, x.high - x.low, y.high - y.low);
  Panel &panel = figure.panels[0];
  panel.x = x;
  panel.y = y;
  panel.title = output.title;
  panel.colours = scaleOf(output, options);
  const auto &grid = *output.grid;
  const double each =
      std::sqrt(panel.box.width * panel.box.height / static_cast<double>(grid.size()));
  for (std::size_t i = 0; i < output.f->size(); ++i)
    panel.add(Disc{grid.axes[layout.columnAxis].re[i], grid.axes[layout.rowAxis].re[i],
                   std::clamp(0.4 * each, 1.2, 7.0),
                   panel.colours->colour(quantityOf(options.quantity, (*output.f)[i]))});
  return figure;
}
} // namespace

void writePicture(const Output &output, const std::string &path, const PictureOptions &options) {
  check(*output.grid);
  quantityOf(options.quantity, 0); // throws for one that cannot be drawn
  if (!(options.decades > 0))
    throw Error("decades", "must be greater than 0");
  const PictureLayout layout = layoutOf(*output.grid);
  const auto of = layout.view == View::Curve     ? curveOf
                  : layout.view == View::Scatter ? scatterOf
                                                 : imageOf;
  draw(of(output, layout, options), path);
}

void writeCurvePicture(const Curve &curve, const std::string &path, const PictureOptions &options) {
  constexpr double visible = 0.02; // errors below this part of I are no wider than the line
  if (curve.q.empty() || curve.intensity.size() != curve.q.size())
    throw Error(path, "the curve's lists are empty or of unequal length", "", Exit::Failed);
  if (!(options.decades > 0))
    throw Error("decades", "must be greater than 0");
  const std::string unit = curve.unit.empty() ? "arb. units" : curve.unit;
  const Scale across = acrossOf(curve.q, curve.logAcross, withRaised(curve.across));
  Scale upwards{withRaised(curve.quantity + (unit == "1" ? "" : " (" + unit + ")"))};
  FiniteRange range;
  for (const double value : curve.intensity)
    range.see(value);
  upwards.low = std::min(0.0, range.low());
  upwards.high =
      range.high() + (range.high() > upwards.low ? 0.04 * (range.high() - upwards.low) : 1);
  if (options.log && range.high() > 0) {
    upwards.setDecades(range, options.decades);
    upwards.low -= 0.1, upwards.high += 0.1;
  }
  Figure figure = curveFigure(options, across, upwards, curve.title);
  Panel &panel = figure.panels[0];
  Line line{{}, {}, blue, 2.5};
  for (std::size_t i = 0; i < curve.q.size(); ++i) {
    const double value = curve.intensity[i];
    if (!std::isfinite(curve.q[i]) || !std::isfinite(value) || (across.log && curve.q[i] <= 0))
      continue;
    line.x.push_back(curve.q[i]);
    line.y.push_back(value);
    if (curve.deviation.size() == curve.q.size() && curve.deviation[i] > visible * value)
      panel.add(Line{{curve.q[i], curve.q[i]},
                     {value - curve.deviation[i], value + curve.deviation[i]},
                     paleBlue,
                     2});
  }
  panel.add(std::move(line));
  draw(figure, path);
}

} // namespace facet::runtime
