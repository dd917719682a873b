// draw.cpp - the parts of a picture that images share.
#include "runtime/output/image/draw.h"
#include <algorithm>
#include <cmath>
#include <functional>

namespace facet::runtime {

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

void drawTitle(Canvas &canvas, const Box &box, const std::string &text) {
  double size =
      std::clamp(1.25 * 60 / std::max<double>(1, static_cast<double>(text.size())), 0.6, 1.25);
  canvas.colour(black);
  canvas.text(box.left + box.width / 2, box.top - 34, 0.5, escaped(text), size);
}

void drawLabels(Canvas &canvas, const Box &box, const std::string &x, const std::string &y,
                double gap) {
  canvas.colour(black);
  canvas.text(box.left + box.width / 2, box.top + box.height + 72, 0.5, x, 1.1);
  canvas.text(box.left - gap, box.top + box.height / 2, 0.5, y, 1.1, true);
}

void drawColourBar(Canvas &canvas, const Box &image, const Scale &scale) {
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

Box placeOf(const Canvas &canvas, double width, double height) {
  Box room{140, 80, canvas.width() - 140.0 - 210, canvas.height() - 80.0 - 110};
  double shape = width / height * room.height / room.width;
  if (shape > 0.4 && shape < 2.5) {
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

void drawAround(Canvas &canvas, const Box &box, const Side &x, const Side &y,
                const std::string &title, const Scale &scale) {
  const auto [x0, x1] = std::minmax(x.edges.front(), x.edges.back());
  const auto [y0, y1] = std::minmax(y.edges.front(), y.edges.back());
  canvas.window(box, x0, x1, y0, y1);
  canvas.colour(black);
  canvas.frame("bcnsti", niceStep(x1 - x0, box.width > 500 ? 7 : 5), 0, "bcnstiv",
               niceStep(y1 - y0, box.height > 400 ? 7 : 5), 0);
  const double digits = std::max(std::abs(y0), std::abs(y1)) < 1000 ? 0 : 18; // "1500"
  drawLabels(canvas, box, x.label, y.label, 100 + digits);
  drawTitle(canvas, box, title);
  drawColourBar(canvas, box, scale);
}

} // namespace facet::runtime
