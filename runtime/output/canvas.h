// canvas.h - a page drawn by PLplot (axes, text, lines) and cairo (images), to PNG, SVG or PDF.
#pragma once
#include "runtime/files/pending_file.h"
#include <array>
#include <cairo.h>
#include <exception>
#include <functional>
#include <string>
#include <vector>

namespace facet::runtime {

struct Colour {
  unsigned char r, g, b;
};
enum class ColourMap { Sequential, Diverging, Cyclic };
/// A colour map at 0..1.
Colour colourAt(double place, ColourMap map = ColourMap::Sequential);
constexpr Colour noColour{225, 225, 225}; // where there is no number

/// A rectangle of the page in pixels of the PNG; y down.
struct Box {
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

enum class PictureFormat { Png, Svg, Pdf };
/// By the extension; throws Error for others.
PictureFormat pictureFormat(const std::string &path);

/// PLplot keeps one state for the whole program: one Canvas at a time.
class Canvas {
public:
  /// The format by extension; throws Error for others, and where the file cannot be created.
  Canvas(const std::string &path, int width, int height);
  Canvas(const Canvas &) = delete;
  Canvas &operator=(const Canvas &) = delete;
  ~Canvas();

  int width() const { return pageWidth; }
  int height() const { return pageHeight; }
  /// Pixels of a raster for one pixel of the page: more where it may be enlarged.
  int fineness() const { return format == PictureFormat::Png ? 1 : 2; }

  /// Makes `box` the place of what follows, with these coordinates at its edges.
  void window(const Box &box, double x0, double x1, double y0, double y1);
  /// The frame with ticks and labels; options as for PLplot's plbox.
  void frame(const char *x, double xStep, int xParts, const char *y, double yStep, int yParts);
  void image(const Box &box, const Raster &raster);
  void line(const std::vector<double> &x, const std::vector<double> &y, Colour colour,
            double width);
  void disc(double x, double y, double radius, Colour colour); // pixels of the page
  void rectangle(const Box &box, Colour colour);
  /// Text at a place of the page in pixels; align 0 left, 0.5 middle, 1 right; upright = 90
  /// degrees.
  void text(double x, double y, double align, const std::string &text, double size = 1,
            bool upright = false);
  /// Text that rises `rise` pixels over `run`.
  void slanted(double x, double y, double run, double rise, double align, const std::string &text,
               double size = 1);
  /// From here on text is as large as on a page of this size; else it grows with the page.
  void textAs(int width, int height);
  /// Pixels of the page that text takes in width, about; without PLplot's escapes.
  double textWidth(const std::string &text, double size) const;
  void colour(Colour colour, double width = 1);

  /// Writes the file and renames it; throws Error.
  void commit();

private:
  static cairo_status_t receive(void *canvas, const unsigned char *bytes, unsigned count);
  FileWriter file;
  PictureFormat format;
  int pageWidth, pageHeight;
  double textScale = 1;
  cairo_surface_t *surface = nullptr;
  cairo_t *cairo = nullptr;
  std::exception_ptr failure;
};

/// Text for PLplot, in which # begins an escape.
std::string escaped(const std::string &text);

} // namespace facet::runtime
