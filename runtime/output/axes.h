// axes.h - what stands around a plot: frame, ticks with numbers, labels, title.
#pragma once
#include "runtime/output/canvas.h"
#include "runtime/output/ticks.h"
#include <functional>
#include <string>
#include <vector>

namespace facet::runtime {

constexpr Colour black{20, 20, 20}, grey{215, 215, 215};

struct PlotAxis {
  double low, high; // at the ends
  Ticks ticks;
  std::string label; // for PLplot; drawFrame adds the power of the ticks to it
};
/// Where the marks of ticks stand: over an image, outside.
enum class Marks { Inside, Outside };

/// Pale lines at the numbers.
void drawGrid(Canvas &canvas, const Box &box, const PlotAxis &x, const PlotAxis &y);
/// The frame with marks at all four sides, numbers and labels below and on the left.
void drawFrame(Canvas &canvas, const Box &box, const PlotAxis &x, const PlotAxis &y, Marks marks);
/// The frame of a colour bar, with marks, numbers and the label on its right.
void drawRightAxis(Canvas &canvas, const Box &box, const PlotAxis &y);

/// A title in lines that fit.
struct FittedTitle {
  std::vector<std::string> lines;
  double size;
};
/// One line, smaller or in two where it is wider than `room`, cut with ".." where that is not
/// enough. `width`: of a text of size 1.
FittedTitle fitted(const std::string &title, double room,
                   const std::function<double(const std::string &)> &width);
/// Above a box, over its middle if the page allows.
void drawTitle(Canvas &canvas, const Box &box, const std::string &text);

} // namespace facet::runtime
