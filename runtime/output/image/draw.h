// draw.h - the parts of a picture that images share: sides, title, labels, colour bar.
#pragma once
#include "runtime/output/canvas.h"
#include "runtime/output/scale.h"
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace facet::runtime {

/// One side of an image: the edges of its cells, ascending or descending, and what they are.
struct Side {
  std::vector<double> edges;
  std::string label; // for PLplot
};
/// Edges half way between centres.
std::vector<double> edgesOf(const std::vector<double> &centres);
/// Edges of pixels 0 to n - 1.
std::vector<double> pixelEdges(std::int64_t n);
/// The range of cells under each of `n` pixels; one at least.
std::vector<std::pair<std::int64_t, std::int64_t>> cellsUnder(const std::vector<double> &edges,
                                                              int n);

constexpr Colour black{20, 20, 20}, grey{215, 215, 215};
void drawTitle(Canvas &canvas, const Box &box, const std::string &text);
/// `gap`: from the box to the middle of the upright label.
void drawLabels(Canvas &canvas, const Box &box, const std::string &x, const std::string &y,
                double gap = 100);
void drawColourBar(Canvas &canvas, const Box &image, const Scale &scale);
/// All that stands around an image: frame with ticks, labels, title, colour bar.
void drawAround(Canvas &canvas, const Box &box, const Side &x, const Side &y,
                const std::string &title, const Scale &scale);
/// The place of the image: both sides to one scale where that leaves neither too thin.
Box placeOf(const Canvas &canvas, double width, double height);

} // namespace facet::runtime
