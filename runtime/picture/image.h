// image.h - an image of values with axes of its own, as a picture.
#pragma once
#include <facet/runtime/output.h>

namespace facet::runtime {

struct ImagePlot {
  std::int64_t rows = 0, columns = 0; // row 0 at the bottom
  const double *values = nullptr;     // by rows; NaN is drawn grey
  /// Centres of columns and rows, ascending or descending; empty: their numbers.
  std::vector<double> x, y;
  std::string xLabel, yLabel, title, label; // of the values, with its unit
};

/// Writes a PNG, SVG or PDF, by extension, under a temporary name and renames it. The options log,
/// decades and the size count. Throws Error.
void writeImagePicture(const ImagePlot &plot, const std::string &path,
                       const PictureOptions &options = {});

} // namespace facet::runtime
