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

void drawColourBar(Canvas &canvas, const Box &image, const Scale &scale) {
  Box bar{std::round(image.left + image.width + 28), image.top, 30, image.height};
  int steps = static_cast<int>(bar.height) * canvas.fineness();
  Raster raster(1, steps);
  for (int i = 0; i < steps; ++i)
    raster.at(0, steps - 1 - i) = colourAt((i + 0.5) / steps, scale.map);
  canvas.image(bar, raster);
  drawRightAxis(canvas, bar,
                {scale.low, scale.high, scale.ticks(bar.height > 400 ? 6 : 4), scale.label});
}

Page pageFor(const PictureOptions &options, double width, double height) {
  constexpr double left = 140, right = 210, above = 80, below = 110;
  constexpr double leastWidth = 700, leastHeight = 500; // for labels and titles
  const double roomX = options.width - left - right, roomY = options.height - above - below;
  Page page{options.width, options.height, {left, above, roomX, roomY}};
  const double shape = width / height * roomY / roomX;
  if (!(shape > 0.4 && shape < 2.5))
    return page;
  Box &box = page.box;
  if (shape > 1) {
    box.height = std::round(roomY / shape);
    page.height = static_cast<int>(
        std::max(box.height + above + below, std::min<double>(leastHeight, options.height)));
    box.top = std::round((page.height - above - below - box.height) / 2 + above);
  } else {
    box.width = std::round(roomX * shape);
    page.width = static_cast<int>(
        std::max(box.width + left + right, std::min<double>(leastWidth, options.width)));
    box.left = std::round((page.width - left - right - box.width) / 2 + left);
  }
  return page;
}

void drawAround(Canvas &canvas, const Box &box, const Side &x, const Side &y,
                const std::string &title, const Scale &scale) {
  drawFrame(canvas, box,
            {x.low(), x.high(), linearTicks(x.low(), x.high(), box.width > 500 ? 7 : 5), x.label},
            {y.low(), y.high(), linearTicks(y.low(), y.high(), box.height > 400 ? 7 : 5), y.label},
            Marks::Outside);
  drawTitle(canvas, box, title);
  drawColourBar(canvas, box, scale);
}

} // namespace facet::runtime
