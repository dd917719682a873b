// picture.cpp - pictures of results: images, curves, scatters of points.
#include "runtime/output/canvas.h"
#include "runtime/output/image/draw.h"
#include "runtime/output/layout.h"
#include "runtime/output/scale.h"
#include <algorithm>
#include <cmath>
#include <facet/runtime/error.h>
#include <limits>

namespace facet::runtime {

namespace {
constexpr Colour blue{31, 90, 160};

Side sideOf(const Axis &axis, int component) { return {edgesOf(axis.re), axisLabel(component)}; }

/// What is drawn of some F under one pixel: the mean of the quantity; of phases, which have no
/// mean, the phase of the sum.
class Mean {
public:
  explicit Mean(const std::string &quantity) : quantity_(quantity), phase_(quantity == "phase") {}
  void add(const std::complex<double> &f) {
    if (phase_)
      f_ += f;
    else
      sum_ += quantityOf(quantity_, f);
    ++count_;
  }
  double value() const {
    return phase_ ? quantityOf(quantity_, f_) : sum_ / static_cast<double>(count_);
  }

private:
  const std::string &quantity_;
  bool phase_;
  std::complex<double> f_ = 0;
  double sum_ = 0;
  std::int64_t count_ = 0;
};

Raster rasterOf(const Output &output, const PictureLayout &layout, const Side &x, const Side &y,
                const Scale &scale, const std::string &quantity, int width, int height) {
  Raster raster(width, height);
  auto columns = cellsUnder(x.edges, width), rows = cellsUnder(y.edges, height);
  for (int j = 0; j < height; ++j)
    for (int i = 0; i < width; ++i) {
      Mean mean(quantity);
      for (auto row = rows[j].first; row < rows[j].second; ++row)
        for (auto column = columns[i].first; column < columns[i].second; ++column)
          mean.add((*output.f)[static_cast<std::size_t>(layout.index(row, column))]);
      raster.at(i, height - 1 - j) = scale.colour(mean.value());
    }
  return raster;
}

void drawImage(const std::string &path, const Output &output, const PictureLayout &layout,
               const PictureOptions &options) {
  const Grid &grid = *output.grid;
  Scale scale = scaleOf(output, options);
  Side x, y;
  if (layout.product) {
    x = sideOf(grid.axes[layout.columnAxis], layout.columnAxis);
    y = sideOf(grid.axes[layout.rowAxis], layout.rowAxis);
  } else {
    x = {pixelEdges(layout.columns), "detector column"};
    y = {pixelEdges(layout.rows), "detector row"};
  }
  const Page page = pageFor(options, x.length(), y.length());
  Canvas canvas(path, page.width, page.height);
  canvas.textAs(options.width, options.height);
  const Box &box = page.box;
  canvas.image(box, rasterOf(output, layout, x, y, scale, options.quantity,
                             static_cast<int>(box.width) * canvas.fineness(),
                             static_cast<int>(box.height) * canvas.fineness()));
  drawAround(canvas, box, x, y, output.title, scale);
  canvas.commit();
}

bool isLogarithmic(const std::vector<double> &x) {
  if (x.size() < 4 || x.front() <= 0 || x.back() <= 0 || x.back() / x.front() < 9)
    return false;
  double ratio = x[1] / x[0], last = x[x.size() - 1] / x[x.size() - 2];
  return std::abs(ratio / last - 1) < 1e-3;
}

void drawCurve(const std::string &path, const Output &output, const PictureLayout &layout,
               const PictureOptions &options) {
  std::vector<double> x = output.grid->axes[layout.along].re, y;
  Scale scale = scaleOf(output, options, true);
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
  const PlotAxis across{left, right, logX ? logTicks(left, right, 8) : linearTicks(left, right, 8),
                        axisLabel(layout.along)};
  scale.low -= scale.log ? 0 : margin, scale.high += margin;
  const PlotAxis upwards{scale.low, scale.high, scale.ticks(7), scale.label};
  Canvas canvas(path, options.width, options.height);
  Box box{150, 80, canvas.width() - 150.0 - 60, canvas.height() - 80.0 - 110};
  drawGrid(canvas, box, across, upwards);
  canvas.window(box, left, right, scale.low, scale.high);
  if (x.size() > 1)
    canvas.line(x, y, blue, 2.5);
  if (x.size() <= 40)
    for (std::size_t i = 0; i < x.size(); ++i)
      if (double h = (scale.high - y[i]) / (scale.high - scale.low); h <= 1)
        canvas.disc(box.left + box.width * (x[i] - left) / (right - left), box.top + box.height * h,
                    5, blue);
  drawFrame(canvas, box, across, upwards, Marks::Inside);
  drawTitle(canvas, box, output.title);
  canvas.commit();
}

void drawScatter(const std::string &path, const Output &output, const PictureLayout &layout,
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
  const Page page = pageFor(options, x1 - x0, y1 - y0);
  Canvas canvas(path, page.width, page.height);
  canvas.textAs(options.width, options.height);
  const Box &box = page.box;
  double each = std::sqrt(box.width * box.height / static_cast<double>(x.size()));
  for (std::size_t i = 0; i < x.size(); ++i)
    canvas.disc(box.left + box.width * (x[i] - x0) / (x1 - x0),
                box.top + box.height * (y1 - y[i]) / (y1 - y0), std::clamp(0.4 * each, 1.2, 7.0),
                scale.colour(quantityOf(options.quantity, (*output.f)[i])));
  drawFrame(canvas, box, {x0, x1, linearTicks(x0, x1, 6), axisLabel(layout.columnAxis)},
            {y0, y1, linearTicks(y0, y1, 6), axisLabel(layout.rowAxis)}, Marks::Inside);
  drawTitle(canvas, box, output.title);
  drawColourBar(canvas, box, scale);
  canvas.commit();
}
} // namespace

void writePicture(const Output &output, const std::string &path, const PictureOptions &options) {
  check(*output.grid);
  quantityOf(options.quantity, 0); // throws for one that cannot be drawn
  if (!(options.decades > 0))
    throw Error("decades", "must be greater than 0");
  PictureLayout layout = layoutOf(*output.grid);
  if (layout.view == View::Curve)
    drawCurve(path, output, layout, options);
  else if (layout.view == View::Scatter)
    drawScatter(path, output, layout, options);
  else
    drawImage(path, output, layout, options);
}

} // namespace facet::runtime
