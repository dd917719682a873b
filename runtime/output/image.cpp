// image.cpp - figures of images, and values with axes of their own as one.
#include "runtime/output/image.h"
#include <cmath>
#include <facet/runtime/error.h>
#include <facet/runtime/image.h>

namespace facet::runtime {
namespace {

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

} // namespace

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

std::vector<double> pixelEdges(std::int64_t n) {
  std::vector<double> edges(static_cast<std::size_t>(n) + 1);
  for (std::size_t i = 0; i < edges.size(); ++i)
    edges[i] = static_cast<double>(i) - 0.5;
  return edges;
}

plot::Figure figureFor(const PictureOptions &options, double width, double height) {
  constexpr double left = 140, right = 210, above = 80, below = 110;
  constexpr double leastWidth = 700, leastHeight = 500; // for labels and titles
  const double roomX = options.width - left - right, roomY = options.height - above - below;
  plot::Figure figure{
      .width = options.width, .height = options.height, .panels = std::vector<plot::Panel>(1)};
  figure.font = figure.pixelsOfText();
  Box &box = figure.panels[0].box = {left, above, roomX, roomY};
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

plot::Figure imageFigure(const PictureOptions &options, const Side &x, const Side &y,
                         const Scale &colours, const std::string &title, const MeanOf &mean) {
  plot::Figure figure = figureFor(options, x.high() - x.low(), y.high() - y.low());
  plot::Panel &panel = figure.panels[0];
  panel.x = {x.label, x.low(), x.high()};
  panel.y = {y.label, y.low(), y.high()};
  panel.title = title;
  panel.frame = plot::Frame::Outside;
  panel.colours = colours;
  panel.add(plot::Image{[=](int width, int height) {
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

void writeImagePicture(const ImagePlot &image, const std::string &path,
                       const PictureOptions &options) {
  if (image.rows < 1 || image.columns < 1)
    throw Error(path, "an image without pixels", "", Exit::Failed);
  if (!(options.decades > 0))
    throw Error("decades", "must be greater than 0");
  FiniteRange range;
  for (std::int64_t i = 0; i < image.rows * image.columns; ++i)
    range.see(image.values[i]);
  Scale colours{withRaised(image.label), std::min(0.0, range.low()),
                range.high() > range.low() ? range.high() : range.low() + 1};
  if (options.log && range.high() > 0)
    colours.setDecades(range, options.decades);
  const auto mean = [&image](const Cells &rows, const Cells &columns) {
    double sum = 0;
    int count = 0;
    for (auto row = rows.first; row < rows.second; ++row)
      for (auto column = columns.first; column < columns.second; ++column)
        if (const double v = image.values[row * image.columns + column]; std::isfinite(v)) {
          sum += v;
          ++count;
        }
    return sum / count; // NaN where there is none
  };
  const Side x{image.x.empty() ? pixelEdges(image.columns) : edgesOf(image.x), image.xLabel},
      y{image.y.empty() ? pixelEdges(image.rows) : edgesOf(image.y), image.yLabel};
  draw(imageFigure(options, x, y, colours, image.title, mean), path);
}

} // namespace facet::runtime
