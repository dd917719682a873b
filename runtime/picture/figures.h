// figures.h - pictures of results as data, before draw(); they refer to what they show.
#pragma once
#include "runtime/engine/device/timeline.h"
#include "runtime/picture/figure.h"
#include <facet/runtime/curve.h>
#include <facet/runtime/output.h>

namespace facet::runtime {

/// An image of values with axes of its own.
struct ImagePlot {
  std::int64_t rows = 0, columns = 0; // row 0 at the bottom
  const double *values = nullptr;     // by rows; NaN is drawn grey
  /// Centres of columns and rows, ascending or descending; empty: their numbers.
  std::vector<double> x, y;
  std::string xLabel, yLabel, title, label; // of the values, with its unit
  std::optional<Scale> colours = {};        // none: as the options have them
};

/// Values on a sphere, by unit vectors; those that are NaN are drawn grey.
struct SpherePlot {
  std::function<double(const Vec3 &)> value;
  std::vector<Vec3> dots;                            // directions
  std::vector<std::pair<Vec3, std::string>> marks{}; // with their names
  std::string title, label;                          // of the values, with its unit
};

/// Writes a PNG, SVG or PDF, by extension, under a temporary name and renames it. The options log,
/// decades and the size count. Throws Error.
void writeImagePicture(const ImagePlot &plot, const std::string &path,
                       const PictureOptions &options = {});

/// The colours that figureOf() gives an image.
Scale coloursOf(const ImagePlot &image, const PictureOptions &options);
/// Colours that go as far to both sides of 0: to what 99% of the values have, 3 at least.
Scale coloursAround0(std::vector<double> values, const std::string &label);
/// Images side by side, each with the options' size.
plot::Figure figureOf(const std::vector<ImagePlot> &images, const PictureOptions &options = {});

plot::Figure figureOf(const Output &output, const PictureOptions &options = {});
plot::Figure figureOf(const ImagePlot &image, const PictureOptions &options = {});
/// Both hemispheres, areas in proportion; colours from 0 to the largest value.
plot::Figure figureOf(const SpherePlot &sphere, const PictureOptions &options = {});
plot::Figure figureOf(const Curve &curve, const PictureOptions &options = {});
plot::Figure figureOf(const Mesh &mesh, const ViewOptions &options = {},
                      const MeshSlopes *slopes = nullptr);

/// When the calls of a device's streams uploaded, computed and downloaded.
/// Writes a PNG, SVG or PDF, by extension: a lane for each stream, a colour for each part, time in
/// ms; above it `title` and the overlap. Throws Error.
plot::Figure timelineFigure(const Timeline &timeline, const std::string &title);
void writeTimeline(const Timeline &timeline, const std::string &title, const std::string &path);
/// For the report of a run: calls, how long kernels were under way, what overlapped.
std::string show(const Timeline &timeline);

} // namespace facet::runtime
