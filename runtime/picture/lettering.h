// lettering.h - text of pictures: one notation, least sizes, and the place that each text takes.
//
// Text may have lowered and raised parts, "q_{y}" and "e^{-x}".
#pragma once
#include <array>
#include <functional>
#include <string>
#include <vector>

using cairo_t = struct _cairo;

namespace facet::runtime::plot {

/// What pictures write for a text: "alpha_f (1/nm), 1e-05" is "α_{f} (nm⁻¹), 10⁻⁵". The table is
/// notation.def. A text that went through comes out the same.
std::string notation(const std::string &text);

/// The width of text, pixels.
double textWidth(const std::string &text, double pixels);
/// The longest beginning of a text that fits, with ".." if it is not all.
std::string cutToFit(const std::string &text, double pixels, double room);

/// A text on a page: what its ink covers, a rectangle that may be turned.
struct Lettering {
  std::string text;
  double pixels = 0; // the size of its font
  std::array<std::array<double, 2>, 4> corners{};
  bool overlaps(const Lettering &other) const;
};
/// Text with its middle line at y; `align` 0: begins at x, 0.5: has its middle there, 1: ends
/// there. `turn`: radians, clockwise.
struct TextPlace {
  double x = 0, y = 0, align = 0.5, turn = 0;
};
Lettering letteringAt(const TextPlace &place, const std::string &text, double pixels);
/// Draws it, and returns what it covers. `halo`: with a white rim.
Lettering drawText(cairo_t *cairo, const TextPlace &place, const std::string &text, double pixels,
                   bool halo);

/// A title in lines that fit.
struct FittedTitle {
  std::vector<std::string> lines;
  double size;
};
/// One line, smaller, or two if it is wider than `room`, cut with ".." if that is not enough.
/// `width`: returns that of a text of size 1. `least`: the smallest size.
FittedTitle fitted(const std::string &title, double room,
                   const std::function<double(const std::string &)> &width, double least = 0.6);

} // namespace facet::runtime::plot
