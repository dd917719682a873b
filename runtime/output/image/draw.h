// draw.h - the parts of a picture that images share: sides, title, labels, colour bar.
#pragma once
#include "runtime/output/axes.h"
#include "runtime/output/scale.h"
#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace facet::runtime {

/// One side of an image: the edges of its cells, ascending or descending, and what they are.
struct Side {
  std::vector<double> edges;
  std::string label; // for PLplot
  double low() const { return std::min(edges.front(), edges.back()); }
  double high() const { return std::max(edges.front(), edges.back()); }
  double length() const { return high() - low(); }
};
/// Edges half way between centres.
std::vector<double> edgesOf(const std::vector<double> &centres);
/// Edges of pixels 0 to n - 1.
std::vector<double> pixelEdges(std::int64_t n);
/// The range of cells under each of `n` pixels; one at least.
std::vector<std::pair<std::int64_t, std::int64_t>> cellsUnder(const std::vector<double> &edges,
                                                              int n);

void drawColourBar(Canvas &canvas, const Box &image, const Scale &scale);
/// All that stands around an image: frame with ticks, labels, title, colour bar.
void drawAround(Canvas &canvas, const Box &box, const Side &x, const Side &y,
                const std::string &title, const Scale &scale);

/// A page with the place of its image.
struct Page {
  int width, height;
  Box box;
};
/// Both sides of the image to one scale where that leaves neither below two fifths of the room;
/// then the page is as small as it may be, never larger than asked for. Else the image fills it.
Page pageFor(const PictureOptions &options, double width, double height);

} // namespace facet::runtime
