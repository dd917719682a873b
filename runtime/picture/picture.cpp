// picture.cpp - figures of F, of a curve I(|q|) and of values with axes of their own: images,
// curves, scatters of points.
#include "runtime/engine/store/layout.h"
#include "runtime/picture/figures.h"
#include <algorithm>
#include <cmath>
#include <facet/runtime/error.h>
#include <facet/runtime/output.h>
#include <filesystem>
#include <fmt/format.h>
#include <numeric>
#include <span>

namespace facet::runtime {

namespace {
using namespace plot;

constexpr Colour blue{31, 90, 160}, paleBlue{150, 180, 215};

/// One side of an image: the edges of its cells, ascending or descending, and what they are.
struct Side {
  std::vector<double> edges;
  std::string label;
  double low() const { return std::min(edges.front(), edges.back()); }
  double high() const { return std::max(edges.front(), edges.back()); }
};
/// Cells [first, last) of a side.
using Cells = std::pair<std::int64_t, std::int64_t>;
/// The value of a pixel over some cells, at least one each way; NaN if there is none.
using MeanOf = std::function<double(const Cells &rows, const Cells &columns)>;

/// The cells under each of `n` pixels.
std::vector<Cells> cellsUnder(const std::vector<double> &edges, int n) {
  const bool falling = edges.back() < edges.front();
  const auto cell = [&](double value) {
    const auto at = falling ? std::upper_bound(edges.begin(), edges.end(), value, std::greater<>())
                            : std::upper_bound(edges.begin(), edges.end(), value);
    const auto i = static_cast<std::int64_t>(at - edges.begin()) - 1;
    return std::clamp<std::int64_t>(i, 0, static_cast<std::int64_t>(edges.size()) - 2);
  };
  const double low = std::min(edges.front(), edges.back()),
               step = std::abs(edges.back() - edges.front()) / n;
  std::vector<Cells> ranges;
  for (int i = 0; i < n; ++i) {
    const std::int64_t a = cell(low + step * (i + 0.25)), b = cell(low + step * (i + 0.75));
    ranges.emplace_back(std::min(a, b), std::max(a, b) + 1);
  }
  return ranges;
}

/// Edges half way between centres.
std::vector<double> edgesOf(const std::vector<double> &c) {
  const std::size_t n = c.size();
  if (n == 1)
    return {c[0] - 0.5, c[0] + 0.5};
  std::vector<double> edges(n + 1);
  for (std::size_t i = 1; i < n; ++i)
    edges[i] = 0.5 * (c[i - 1] + c[i]);
  edges[0] = c[0] - (edges[1] - c[0]);
  edges[n] = c[n - 1] + (c[n - 1] - edges[n - 1]);
  return edges;
}

/// Edges of pixels 0 to n - 1.
std::vector<double> pixelEdges(std::int64_t n) {
  std::vector<double> centres(static_cast<std::size_t>(n));
  std::iota(centres.begin(), centres.end(), 0.0);
  return edgesOf(centres);
}

/// `mean` is called while the figure is drawn. Row 0 has the least edge of y.
Figure imageFigure(const PictureOptions &options, const Side &x, const Side &y,
                   const Scale &colours, const std::string &title, const MeanOf &mean) {
  Figure figure = figureFor(options, x.high() - x.low(), y.high() - y.low());
  Panel &panel = figure.panels[0];
  panel.x = {x.label, x.low(), x.high()};
  panel.y = {y.label, y.low(), y.high()};
  panel.title = title;
  panel.frame = Frame::Outside;
  panel.colours = colours;
  panel.add(Image{[=](int width, int height) {
    Raster raster(width, height);
    const std::vector<Cells> columns = cellsUnder(x.edges, width),
                             rows = cellsUnder(y.edges, height);
    for (int j = 0; j < height; ++j)
      for (int i = 0; i < width; ++i)
        raster.at(i, height - 1 - j) = colours.colour(
            mean(rows[static_cast<std::size_t>(j)], columns[static_cast<std::size_t>(i)]));
    return raster;
  }});
  return figure;
}

std::string labelOf(int component) { return std::string(axisName(component)) + " (1/nm)"; }

Figure imageOf(const Output &output, const PictureLayout &layout, const PictureOptions &options) {
  const auto side = [&](int component, std::int64_t pixels, const char *name) {
    return layout.product ? Side{edgesOf(output.grid->axes[component].re), labelOf(component)}
                          : Side{pixelEdges(pixels), name};
  };
  // The mean of the quantity; of phases, which have no mean, the phase of the sum.
  const bool phase = options.quantity == "phase";
  const auto mean = [&output, layout, quantity = options.quantity, phase](const Cells &rows,
                                                                          const Cells &columns) {
    std::complex<double> all = 0;
    double sum = 0;
    for (auto row = rows.first; row < rows.second; ++row)
      for (auto column = columns.first; column < columns.second; ++column) {
        const auto &f = (*output.f)[static_cast<std::size_t>(layout.index(row, column))];
        if (phase)
          all += f;
        else
          sum += quantityOf(quantity, f);
      }
    const auto count = (rows.second - rows.first) * (columns.second - columns.first);
    return phase ? std::arg(all) : sum / static_cast<double>(count);
  };
  return imageFigure(options, side(layout.columnAxis, layout.columns, "detector column"),
                     side(layout.rowAxis, layout.rows, "detector row"), scaleOf(output, options),
                     output.title, mean);
}

/// A page with one panel for lines.
Figure curveFigure(const PictureOptions &options, const Scale &x, const Scale &y,
                   const std::string &title) {
  Figure figure{.width = options.width, .height = options.height};
  const double unit = figure.unit(), left = 150 * unit, right = 60 * unit, above = 80 * unit,
               below = 110 * unit;
  const Rect box{left, above, figure.width - left - right, figure.height - above - below};
  figure.panels.push_back({.box = box, .x = x, .y = y, .title = title, .grid = true});
  return figure;
}

Scale acrossOf(const std::vector<double> &x, bool log, const std::string &label) {
  const FiniteRange range(x);
  Scale scale{label, range.low, range.high};
  // Less than a decade is seen as well without a logarithmic scale.
  scale.log = log && std::log10(range.high / range.smallest) >= 0.95;
  if (scale.log)
    scale.low = std::log10(range.smallest), scale.high = std::log10(range.high);
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
    const auto [low, high] = std::ranges::minmax(output.grid->axes[component].re);
    const double margin = 0.03 * (high - low);
    return Scale{labelOf(component), low - margin, high + margin};
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

/// Checks what every picture needs of its options.
void checkOptions(const PictureOptions &options) {
  if (!(options.decades > 0))
    throw Error("decades", "must be greater than 0");
}
} // namespace

Figure plot::figureFor(const PictureOptions &options, double width, double height) {
  Figure figure{.width = options.width, .height = options.height, .panels = std::vector<Panel>(1)};
  figure.font = figure.pixelsOfText();
  const double unit = figure.unit(), left = 140 * unit, right = 210 * unit, above = 80 * unit,
               below = 110 * unit;
  const double leastWidth = 700 * unit, leastHeight = 500 * unit; // for labels and titles
  const double roomX = options.width - left - right, roomY = options.height - above - below;
  Rect &box = figure.panels[0].box = {left, above, roomX, roomY};
  const double shape = width / height * roomY / roomX;
  if (!(shape > 0.4 && shape < 2.5))
    return figure;
  if (shape > 1) {
    box.height = std::round(roomY / shape);
    figure.height = static_cast<int>(
        std::max(box.height + above + below, std::min<double>(leastHeight, options.height)));
    box.top = std::round((figure.height - above - below - box.height) / 2 + above);
  } else {
    box.width = std::round(roomX * shape);
    figure.width = static_cast<int>(
        std::max(box.width + left + right, std::min<double>(leastWidth, options.width)));
    box.left = std::round((figure.width - left - right - box.width) / 2 + left);
  }
  return figure;
}

Scale coloursOf(const ImagePlot &image, const PictureOptions &options) {
  const FiniteRange range(
      std::span(image.values, static_cast<std::size_t>(image.rows * image.columns)));
  Scale colours{withRaised(image.label), std::min(0.0, range.low),
                range.high > range.low ? range.high : range.low + 1};
  if (options.log && range.high > 0)
    colours.setDecades(range, options.decades);
  return colours;
}

Scale coloursAround0(std::vector<double> values, const std::string &label) {
  constexpr double least = 3, part = 0.99;
  std::erase_if(values, [](double value) { return !std::isfinite(value); });
  for (double &value : values)
    value = std::abs(value);
  values.push_back(least);
  const auto at =
      values.begin() + static_cast<std::ptrdiff_t>(part * static_cast<double>(values.size() - 1));
  std::ranges::nth_element(values, at);
  const double most = std::max(least, *at);
  return {.label = label, .low = -most, .high = most, .map = ColourMap::Diverging};
}

plot::Figure figureOf(const std::vector<ImagePlot> &images, const PictureOptions &options) {
  Figure page{.width = 0, .height = 0};
  for (const ImagePlot &image : images) {
    Figure one = figureOf(image, options);
    one.panels[0].box.left += page.width;
    page.panels.push_back(std::move(one.panels[0]));
    page.width += one.width;
    page.height = std::max(page.height, one.height);
    page.font = one.pixelsOfText();
  }
  return page;
}

plot::Figure figureOf(const ImagePlot &image, const PictureOptions &options) {
  if (image.rows < 1 || image.columns < 1)
    throw Error("image", "it has no pixels", "", Exit::Failed);
  checkOptions(options);
  Scale colours = image.colours ? *image.colours : coloursOf(image, options);
  colours.label = withRaised(image.label);
  const auto mean = [&image](const Cells &rows, const Cells &columns) {
    double sum = 0;
    int count = 0;
    for (auto row = rows.first; row < rows.second; ++row)
      for (auto column = columns.first; column < columns.second; ++column)
        if (const double v = image.values[row * image.columns + column]; std::isfinite(v)) {
          sum += v;
          ++count;
        }
    return sum / count; // NaN if there is none
  };
  const Side x{image.x.empty() ? pixelEdges(image.columns) : edgesOf(image.x), image.xLabel},
      y{image.y.empty() ? pixelEdges(image.rows) : edgesOf(image.y), image.yLabel};
  return imageFigure(options, x, y, colours, image.title, mean);
}

void writeImagePicture(const ImagePlot &image, const std::string &path,
                       const PictureOptions &options) {
  draw(figureOf(image, options), path);
}

plot::Figure figureOf(const Output &output, const PictureOptions &options) {
  check(*output.grid);
  quantityOf(options.quantity, 0); // throws for one that cannot be drawn
  checkOptions(options);
  const PictureLayout layout = layoutOf(*output.grid);
  const auto of = layout.view == View::Curve     ? curveOf
                  : layout.view == View::Scatter ? scatterOf
                                                 : imageOf;
  return of(output, layout, options);
}

void writePicture(const Output &output, const std::string &path, const PictureOptions &options) {
  draw(figureOf(output, options), path);
}

plot::Figure figureOf(const Curve &curve, const PictureOptions &options) {
  constexpr double visible = 0.02; // errors below this part of I are no wider than the line
  if (curve.q.empty() || curve.intensity.size() != curve.q.size())
    throw Error("curve", "the curve's lists are empty or of unequal length", "", Exit::Failed);
  checkOptions(options);
  const std::string unit = curve.unit.empty() ? "arb. units" : curve.unit;
  const Scale across = acrossOf(curve.q, curve.logAcross, withRaised(curve.across));
  Scale upwards{withRaised(curve.quantity + (unit == "1" ? "" : " (" + unit + ")"))};
  const FiniteRange range(curve.intensity);
  upwards.low = std::min(0.0, range.low);
  upwards.high = range.high + (range.high > upwards.low ? 0.04 * (range.high - upwards.low) : 1);
  if (options.log && range.high > 0) {
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
  return figure;
}

void writeCurvePicture(const Curve &curve, const std::string &path, const PictureOptions &options) {
  draw(figureOf(curve, options), path);
}

namespace {
/// Writes a picture of step k of F: an output, or a value of a sweep; the file's name gets `added`.
std::string writeStep(Output one, std::size_t k, const std::string &path, const std::string &added,
                      const std::string &title, const PictureOptions &options) {
  const auto size = static_cast<std::ptrdiff_t>(one.grid->size());
  const auto first = one.f->begin() + static_cast<std::ptrdiff_t>(k) * size;
  const std::vector<std::complex<double>> f(first, first + size);
  one.f = &f;
  one.sweep = nullptr;
  one.outputs.clear();
  one.title += (one.title.empty() ? "" : ", ") + title;
  std::filesystem::path file = path;
  file.replace_filename(file.stem().string() + "_" + added + file.extension().string());
  writePicture(one, file, options);
  return file;
}
} // namespace

std::vector<std::string> writePictures(const Output &output, const std::string &path,
                                       const PictureOptions &options) {
  std::vector<std::string> files;
  for (std::size_t o = 0; o < output.outputs.size(); ++o) {
    Output one = output;
    one.name = output.outputs[o].name;
    PictureOptions own = options;
    if (!output.outputs[o].isComplex && own.quantity == "|F|^2")
      own.quantity = "|F|";
    files.push_back(writeStep(one, o, path, one.name, one.name, own));
  }
  if (!files.empty())
    return files;
  if (output.sweep == nullptr) {
    writePicture(output, path, options);
    return {path};
  }
  constexpr std::size_t most = 5;
  const auto &[name, values] = *output.sweep;
  const std::size_t count = std::min(values.size(), most);
  for (std::size_t k = 0; k < count; ++k) {
    const std::size_t step = count == 1 ? 0 : k * (values.size() - 1) / (count - 1);
    files.push_back(writeStep(output, step, path, fmt::format("{}_{:.6g}", name, values[step]),
                              fmt::format("{} = {:.6g}", name, values[step]), options));
  }
  return files;
}

} // namespace facet::runtime
