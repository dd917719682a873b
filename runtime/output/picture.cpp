// picture.cpp - pictures of results: images, curves, scatters of points.
#include "runtime/output/canvas.h"
#include "runtime/output/layout.h"
#include "runtime/output/scale.h"
#include <algorithm>
#include <cmath>
#include <facet/runtime/error.h>
#include <limits>

namespace facet::runtime {

namespace {
constexpr Colour black{20, 20, 20}, grey{215, 215, 215}, blue{31, 90, 160};

/// One side of an image: the edges of its cells, from their centres.
struct Side {
  std::vector<double> edges;
  std::string label;
};

Side sideOf(const Axis &axis, int component) {
  const auto &c = axis.re;
  std::size_t n = c.size();
  Side side{std::vector<double>(n + 1), axisLabel(component)};
  for (std::size_t i = 1; i < n; ++i)
    side.edges[i] = 0.5 * (c[i - 1] + c[i]);
  side.edges[0] = c[0] - (side.edges[1] - c[0]);
  side.edges[n] = c[n - 1] + (c[n - 1] - side.edges[n - 1]);
  return side;
}

Side pixels(std::int64_t n, const char *label) {
  Side side{std::vector<double>(static_cast<std::size_t>(n) + 1), label};
  for (std::size_t i = 0; i < side.edges.size(); ++i)
    side.edges[i] = static_cast<double>(i) - 0.5;
  return side;
}

/// The range of cells under each of `n` pixels; one at least.
std::vector<std::pair<std::int64_t, std::int64_t>> cellsUnder(const std::vector<double> &edges,
                                                              int n) {
  bool falling = edges.back() < edges.front();
  auto cell = [&](double value) {
    auto at = falling ? std::upper_bound(edges.begin(), edges.end(), value, std::greater<>())
                      : std::upper_bound(edges.begin(), edges.end(), value);
    auto i = static_cast<std::int64_t>(at - edges.begin()) - 1;
    return std::clamp<std::int64_t>(i, 0, static_cast<std::int64_t>(edges.size()) - 2);
  };
  double low = std::min(edges.front(), edges.back()), high = std::max(edges.front(), edges.back());
  std::vector<std::pair<std::int64_t, std::int64_t>> ranges;
  for (int i = 0; i < n; ++i) {
    double step = (high - low) / n;
    std::int64_t a = cell(low + step * (i + 0.25)), b = cell(low + step * (i + 0.75));
    ranges.emplace_back(std::min(a, b), std::max(a, b) + 1);
  }
  return ranges;
}

Raster rasterOf(const Output &output, const Layout &layout, const Side &x, const Side &y,
                const Scale &scale, const std::string &quantity, int width, int height) {
  Raster raster(width, height);
  auto columns = cellsUnder(x.edges, width), rows = cellsUnder(y.edges, height);
  for (int j = 0; j < height; ++j)
    for (int i = 0; i < width; ++i) { // the mean of the cells under a pixel
      double sum = 0;
      std::int64_t count = 0;
      for (auto row = rows[j].first; row < rows[j].second; ++row)
        for (auto column = columns[i].first; column < columns[i].second; ++column, ++count)
          sum += quantityOf(quantity,
                            (*output.f)[static_cast<std::size_t>(layout.index(row, column))]);
      raster.at(i, height - 1 - j) = scale.colour(sum / static_cast<double>(count));
    }
  return raster;
}

void title(Canvas &canvas, const Box &box, const std::string &text) {
  double size =
      std::clamp(1.25 * 70 / std::max<double>(1, static_cast<double>(text.size())), 0.6, 1.25);
  canvas.colour(black);
  canvas.text(box.left + box.width / 2, box.top - 34, 0.5, escaped(text), size);
}

void labels(Canvas &canvas, const Box &box, const std::string &x, const std::string &y) {
  canvas.colour(black);
  canvas.text(box.left + box.width / 2, box.top + box.height + 72, 0.5, x, 1.1);
  canvas.text(box.left - 100, box.top + box.height / 2, 0.5, y, 1.1, true);
}

void colourBar(Canvas &canvas, const Box &image, const Scale &scale) {
  Box bar{std::round(image.left + image.width + 28), image.top, 30, image.height};
  int steps = static_cast<int>(bar.height) * canvas.fineness();
  Raster raster(1, steps);
  for (int i = 0; i < steps; ++i)
    raster.at(0, steps - 1 - i) = colourAt((i + 0.5) / steps);
  canvas.image(bar, raster);
  canvas.window(bar, 0, 1, scale.low, scale.high);
  canvas.colour(black);
  double range = scale.high - scale.low;
  if (scale.log)
    canvas.frame("bc", 0, 0, "bcmtslv", std::max(1.0, std::ceil(range / 10)), 0);
  else
    canvas.frame("bc", 0, 0, "bcmtsv", niceStep(range, 6), 0);
  canvas.text(bar.left + bar.width + 108, bar.top + bar.height / 2, 0.5, scale.label, 1.1, true);
}

/// The place of the image: both sides to one scale where that leaves neither too thin.
Box place(const Canvas &canvas, double width, double height, bool equal) {
  Box room{140, 80, canvas.width() - 140.0 - 210, canvas.height() - 80.0 - 110};
  double shape = width / height * room.height / room.width;
  if (equal && shape > 0.4 && shape < 2.5) {
    Box box = room;
    if (shape > 1)
      box.height = std::round(room.height / shape);
    else
      box.width = std::round(room.width * shape);
    box.left = std::round(room.left + (room.width - box.width) / 2);
    box.top = std::round(room.top + (room.height - box.height) / 2);
    return box;
  }
  return room;
}

void drawImage(Canvas &canvas, const Output &output, const Layout &layout,
               const PictureOptions &options) {
  const Grid &grid = *output.grid;
  Scale scale = scaleOf(output, options);
  Side x, y;
  if (layout.product) {
    x = sideOf(grid.axes[layout.columnAxis], layout.columnAxis);
    y = sideOf(grid.axes[layout.rowAxis], layout.rowAxis);
  } else {
    x = pixels(layout.columns, "detector column");
    y = pixels(layout.rows, "detector row");
  }
  auto [x0, x1] = std::minmax(x.edges.front(), x.edges.back());
  auto [y0, y1] = std::minmax(y.edges.front(), y.edges.back());
  Box box = place(canvas, x1 - x0, y1 - y0, true);
  canvas.image(box, rasterOf(output, layout, x, y, scale, options.quantity,
                             static_cast<int>(box.width) * canvas.fineness(),
                             static_cast<int>(box.height) * canvas.fineness()));
  canvas.window(box, x0, x1, y0, y1);
  canvas.colour(black);
  canvas.frame("bcnsti", niceStep(x1 - x0, box.width > 500 ? 7 : 5), 0, "bcnstiv",
               niceStep(y1 - y0, box.height > 400 ? 7 : 5), 0);
  labels(canvas, box, x.label, y.label);
  title(canvas, box, output.title);
  colourBar(canvas, box, scale);
}

bool isLogarithmic(const std::vector<double> &x) {
  if (x.size() < 4 || x.front() <= 0 || x.back() <= 0 || x.back() / x.front() < 9)
    return false;
  double ratio = x[1] / x[0], last = x[x.size() - 1] / x[x.size() - 2];
  return std::abs(ratio / last - 1) < 1e-3;
}

void drawCurve(Canvas &canvas, const Output &output, const Layout &layout,
               const PictureOptions &options) {
  std::vector<double> x = output.grid->axes[layout.along].re, y;
  Scale scale = scaleOf(output, options);
  bool logX = isLogarithmic(x);
  for (const auto &f : *output.f) {
    double at = scale.place(quantityOf(options.quantity, f));
    y.push_back(std::isnan(at) ? scale.low - 100 : at);
  }
  if (logX)
    for (double &value : x)
      value = std::log10(value);
  auto [x0, x1] = std::minmax_element(x.begin(), x.end());
  double margin = 0.04 * (scale.high - scale.low);
  double left = *x0, right = *x1 > *x0 ? *x1 : *x0 + 1;
  Box box{150, 80, canvas.width() - 150.0 - 60, canvas.height() - 80.0 - 110};
  canvas.window(box, left, right, scale.low - (scale.log ? 0 : margin), scale.high + margin);
  double xStep = logX ? 1 : niceStep(right - left, 8);
  double yStep = scale.log ? std::max(1.0, std::ceil((scale.high - scale.low) / 10))
                           : niceStep(scale.high - scale.low, 7);
  canvas.colour(grey);
  canvas.frame("g", xStep, 0, "g", yStep, 0);
  if (x.size() > 1)
    canvas.line(x, y, blue, 2.5);
  if (x.size() <= 40)
    for (std::size_t i = 0; i < x.size(); ++i)
      if (double h = (scale.high + margin - y[i]) /
                     (scale.high + margin - scale.low + (scale.log ? 0 : margin));
          h <= 1)
        canvas.disc(box.left + box.width * (x[i] - left) / (right - left), box.top + box.height * h,
                    5, blue);
  canvas.colour(black);
  canvas.frame(logX ? "bcnstl" : "bcnst", xStep, 0, scale.log ? "bcnstlv" : "bcnstv", yStep, 0);
  labels(canvas, box, axisLabel(layout.along), scale.label);
  title(canvas, box, output.title);
}

void drawScatter(Canvas &canvas, const Output &output, const Layout &layout,
                 const PictureOptions &options) {
  const auto &x = output.grid->axes[layout.columnAxis].re,
             &y = output.grid->axes[layout.rowAxis].re;
  Scale scale = scaleOf(output, options);
  auto range = [](const std::vector<double> &v) {
    auto [low, high] = std::minmax_element(v.begin(), v.end());
    double margin = 0.03 * (*high - *low);
    return std::pair{*low - margin, *high + margin};
  };
  auto [x0, x1] = range(x);
  auto [y0, y1] = range(y);
  Box box = place(canvas, x1 - x0, y1 - y0, true);
  double each = std::sqrt(box.width * box.height / static_cast<double>(x.size()));
  for (std::size_t i = 0; i < x.size(); ++i)
    canvas.disc(box.left + box.width * (x[i] - x0) / (x1 - x0),
                box.top + box.height * (y1 - y[i]) / (y1 - y0), std::clamp(0.4 * each, 1.2, 7.0),
                scale.colour(quantityOf(options.quantity, (*output.f)[i])));
  canvas.window(box, x0, x1, y0, y1);
  canvas.colour(black);
  canvas.frame("bcnst", niceStep(x1 - x0, 6), 0, "bcnstv", niceStep(y1 - y0, 6), 0);
  labels(canvas, box, axisLabel(layout.columnAxis), axisLabel(layout.rowAxis));
  title(canvas, box, output.title);
  colourBar(canvas, box, scale);
}
} // namespace

void writePicture(const Output &output, const std::string &path, const PictureOptions &options) {
  check(*output.grid);
  quantityOf(options.quantity, 0); // throws for one that cannot be drawn
  if (!(options.decades > 0))
    throw Error("decades", "must be greater than 0");
  Layout layout = layoutOf(*output.grid);
  Canvas canvas(path, options.width, options.height);
  if (layout.view == View::Curve)
    drawCurve(canvas, output, layout, options);
  else if (layout.view == View::Scatter)
    drawScatter(canvas, output, layout, options);
  else
    drawImage(canvas, output, layout, options);
  canvas.commit();
}

} // namespace facet::runtime
