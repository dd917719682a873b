// page.h - a page of cairo: PNG, SVG or PDF.
#pragma once
#include "runtime/files/files.h"
#include "runtime/output/figure.h"
#include <cairo.h>
#include <exception>

namespace facet::runtime::plot {

/// Shapes and text in pixels of the page, y down.
class Page {
public:
  /// The format by extension; throws Error for others, and if the file cannot be created.
  Page(const std::string &path, int width, int height);
  Page(const Page &) = delete;
  Page &operator=(const Page &) = delete;
  ~Page();

  /// What is drawn by `draw` ends at the edges of the box.
  void within(const Rect &box, const std::function<void()> &draw);
  void line(const std::vector<double> &x, const std::vector<double> &y, Colour colour,
            double width);
  void disc(double x, double y, double radius, Colour colour);
  void rectangle(const Rect &box, Colour colour);
  void image(const Rect &box, const std::function<Raster(int width, int height)> &paint);
  /// Its middle line at y. `turn`: radians, clockwise.
  void text(double x, double y, double align, const std::string &text, double pixels, Colour colour,
            double turn = 0);
  /// Writes the file and renames it; throws Error.
  void commit();

private:
  static cairo_status_t receive(void *page, const unsigned char *bytes, unsigned count);
  void take(Colour colour);
  bool png;
  FileWriter file;
  cairo_surface_t *surface = nullptr;
  cairo_t *cairo = nullptr;
  std::exception_ptr failure;
};

} // namespace facet::runtime::plot
