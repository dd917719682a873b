// figure.h - a picture as data: panels with axes and what is in them. draw() is all that draws.
//
// Texts are what files and keys spell; how pictures write that is in notation.def.
#pragma once
#include "runtime/picture/lettering.h"
#include "runtime/picture/scale.h"
#include <functional>
#include <string>
#include <variant>
#include <vector>

namespace facet::runtime {

/// A rectangle of the page in pixels of the PNG; y down.
struct Rect {
  double left, top, width, height;
};

/// A picture of colours, row 0 at the top.
struct Raster {
  int width = 0, height = 0;
  std::vector<Colour> pixels;
  std::vector<unsigned char> cover; // 0 lets the page through, 255 hides it; empty: hides it all
  Raster(int width, int height)
      : width(width), height(height), pixels(static_cast<std::size_t>(width) * height, noColour) {}
  Colour &at(int x, int y) { return pixels[static_cast<std::size_t>(y) * width + x]; }
};

namespace plot {

constexpr Colour black{20, 20, 20}, grey{110, 110, 110}, white{255, 255, 255};

// What is drawn in a panel, in its order. Places are values of the panel's axes; widths, radii and
// shifts are pixels of the page.

/// A line through points, which ends at the edges of the panel.
struct Line {
  std::vector<double> x, y;
  Colour colour = black;
  double width = 1;
};
struct Disc {
  double x, y, radius;
  Colour colour;
};
/// A rectangle, at least half a pixel wide; `striped`: with stripes of its colour on white.
struct Bar {
  double x0, x1, y0, y1;
  Colour colour;
  bool striped = false;
};
/// Text. `align` 0: begins at its place, 0.5: has its middle there, 1: ends there. It rises `rise`
/// over `run`. `halo`: with a white rim, for what lies over lines.
struct Text {
  double x, y;
  std::string text;
  double size = 1, align = 0.5;
  Colour colour = black;
  double dx = 0, dy = 0, run = 1, rise = 0;
  bool halo = false;
};
/// An image over the whole panel; `paint` makes it for so many pixels.
struct Image {
  std::function<Raster(int width, int height)> paint;
};
using Item = std::variant<Line, Disc, Bar, Text, Image>;

/// Without: nothing but the items. Plain: numbers without marks. Outside: marks outwards, as an
/// image wants them.
enum class Frame { Without, Plain, Inside, Outside };

struct Panel {
  Rect box{};
  Scale x = {}, y = {};
  std::vector<Item> items = {};
  std::string title = {};
  Frame frame = Frame::Inside;
  bool grid = false;                 // pale lines at the numbers
  double size = 1;                   // of the text around it
  std::optional<Scale> colours = {}; // a bar of them on its right

  void add(Item item);
  /// Where a value is on the page. One without a place is far below, or left.
  double px(double value) const;
  double py(double value) const;
};

constexpr double leastText = 9;    // pixels, as shown
constexpr double shownWidth = 880; // of a page of docs, which shrinks a wider picture

struct Figure {
  int width = 1200, height = 900; // pixels of a PNG; an SVG takes the proportions
  std::vector<Panel> panels = {};
  double font = 0; // pixels of text of size 1; 0: as large as the page wants it

  double pixelsOfText() const { return font > 0 ? font : fontFor(width, height); }
  /// No text is smaller: a smaller one is enlarged.
  double leastPixels() const { return leastText * std::max(1.0, width / shownWidth); }
  /// Pixels of a text of that size.
  double pixelsOf(double size) const { return std::max(pixelsOfText() * size, leastPixels()); }
  /// For a long and narrow page as large as its narrow side allows.
  static double fontFor(int width, int height);
  /// How large things around panels are, beside those of a page of 1200 x 900.
  double unit() const { return pixelsOfText() / fontFor(1200, 900); }
  /// A panel whose axes are the pixels of the page, for what stands between panels.
  Panel page() const;
};

/// A figure with one panel, with sides of these lengths. Both have one scale if that leaves neither
/// below two fifths of the room; then the page is as small as it may be, never larger than
/// requested. Else the panel fills it.
Figure figureFor(const PictureOptions &options, double width, double height);

/// A line of text over the middle of the page, smaller if the page is narrow, then cut. For page().
void addHeading(const Figure &figure, Panel &page, double y, const std::string &text, double size);
/// A line of a legend: a disc, and beside it what it stands for. In pixels, for page(). Returns
/// where the next may begin.
double addKey(const Figure &figure, Panel &page, double x, double y, Colour colour,
              const std::string &text, double size);
/// What the text of an item of a panel covers.
Lettering letteringOf(const Figure &figure, const Panel &panel, const Text &text);

/// All texts of a figure, as draw() places them.
std::vector<Lettering> letteringOf(const Figure &figure);
/// Texts that are too small, that leave the page, or that overlap, a line each; none is right.
std::vector<std::string> faultsOf(const Figure &figure);

/// Writes a PNG, SVG or PDF, by extension, under a temporary name and renames it. Throws Error for
/// other extensions, and if the file cannot be written.
void draw(const Figure &figure, const std::string &path);

} // namespace plot
} // namespace facet::runtime
