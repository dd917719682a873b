// image.h - figures of images: cells of any width under the pixels of a page.
#pragma once
#include "runtime/output/figure.h"
#include <algorithm>
#include <cstdint>
#include <utility>

namespace facet::runtime {

/// One side of an image: the edges of its cells, ascending or descending, and what they are.
struct Side {
  std::vector<double> edges;
  std::string label;
  double low() const { return std::min(edges.front(), edges.back()); }
  double high() const { return std::max(edges.front(), edges.back()); }
};
/// Edges half way between centres.
std::vector<double> edgesOf(const std::vector<double> &centres);
/// Edges of pixels 0 to n - 1.
std::vector<double> pixelEdges(std::int64_t n);

/// Cells [first, last) of a side.
using Cells = std::pair<std::int64_t, std::int64_t>;
/// The value of a pixel over such cells, one at least each way; NaN: there is none.
using MeanOf = std::function<double(const Cells &rows, const Cells &columns)>;
/// `mean` is called while the figure is drawn. Row 0 has the least edge of y.
plot::Figure imageFigure(const PictureOptions &options, const Side &x, const Side &y,
                         const Scale &colours, const std::string &title, const MeanOf &mean);

/// A figure with one panel, of these lengths: both sides to one scale where that leaves neither
/// below two fifths of the room; then the page is as small as it may be, never larger than asked
/// for. Else the panel fills it.
plot::Figure figureFor(const PictureOptions &options, double width, double height);

} // namespace facet::runtime
