// picture.cpp - an image of values with axes of its own, as a picture.
#include "runtime/output/image/draw.h"
#include <algorithm>
#include <cmath>
#include <facet/runtime/error.h>
#include <facet/runtime/image.h>

namespace facet::runtime {
namespace {

Scale scaleFor(const ImagePlot &plot, const PictureOptions &options) {
  Scale scale;
  FiniteRange range;
  for (std::int64_t i = 0; i < plot.rows * plot.columns; ++i)
    range.see(plot.values[i]);
  const double low = range.low(), high = range.high();
  if (options.log && high > 0) {
    scale.setDecades(range, options.decades);
  } else {
    scale.log = false;
    scale.low = std::min(0.0, low);
    scale.high = high > low ? high : low + 1;
  }
  scale.label = escaped(withRaised(plot.label));
  return scale;
}

Raster rasterOf(const ImagePlot &plot, const Side &x, const Side &y, const Scale &scale, int width,
                int height) {
  Raster raster(width, height);
  const auto columns = cellsUnder(x.edges, width), rows = cellsUnder(y.edges, height);
  for (int j = 0; j < height; ++j)
    for (int i = 0; i < width; ++i) { // the mean of the cells under a pixel that have values
      double sum = 0;
      int count = 0;
      const auto [r0, r1] = rows[static_cast<std::size_t>(j)];
      const auto [c0, c1] = columns[static_cast<std::size_t>(i)];
      for (auto row = r0; row < r1; ++row)
        for (auto column = c0; column < c1; ++column)
          if (const double v = plot.values[row * plot.columns + column]; std::isfinite(v)) {
            sum += v;
            ++count;
          }
      if (count > 0)
        raster.at(i, height - 1 - j) = scale.colour(sum / count);
    }
  return raster;
}

} // namespace

void writeImagePicture(const ImagePlot &plot, const std::string &path,
                       const PictureOptions &options) {
  if (plot.rows < 1 || plot.columns < 1)
    throw Error(path, "an image without pixels", "", Exit::Failed);
  if (!(options.decades > 0))
    throw Error("decades", "must be greater than 0");
  const Side x{plot.x.empty() ? pixelEdges(plot.columns) : edgesOf(plot.x), escaped(plot.xLabel)},
      y{plot.y.empty() ? pixelEdges(plot.rows) : edgesOf(plot.y), escaped(plot.yLabel)};
  const Scale scale = scaleFor(plot, options);
  const Page page = pageFor(options, x.length(), y.length());
  Canvas canvas(path, page.width, page.height);
  canvas.textAs(options.width, options.height);
  const Box &box = page.box;
  canvas.image(box, rasterOf(plot, x, y, scale, static_cast<int>(box.width) * canvas.fineness(),
                             static_cast<int>(box.height) * canvas.fineness()));
  drawAround(canvas, box, x, y, plot.title, scale);
  canvas.commit();
}

} // namespace facet::runtime
