// page.cpp - shapes and text by cairo; the file is renamed when it is whole.
#include "runtime/output/page.h"
#include <cairo-pdf.h>
#include <cairo-svg.h>
#include <cmath>
#include <cstring>
#include <facet/runtime/error.h>
#include <filesystem>

namespace facet::runtime {
namespace {

enum class Format { Png, Svg, Pdf };

Format formatOf(const std::string &path) {
  const std::string extension = std::filesystem::path(path).extension().string();
  if (extension == ".png")
    return Format::Png;
  if (extension == ".svg")
    return Format::Svg;
  if (extension == ".pdf")
    return Format::Pdf;
  throw Error(path, "facet draws no '" + extension + "' pictures", "use .png, .svg or .pdf");
}

cairo_surface_t *surfaceFor(Format format, cairo_write_func_t write, void *to, int width,
                            int height) {
  if (format == Format::Png)
    return cairo_image_surface_create(CAIRO_FORMAT_RGB24, width, height);
  if (format == Format::Svg)
    return cairo_svg_surface_create_for_stream(write, to, width, height);
  cairo_surface_t *surface = cairo_pdf_surface_create_for_stream(write, to, width, height);
  // Without the time of day, so that equal runs make equal files.
  cairo_pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_CREATE_DATE, "1970-01-01T00:00:00Z");
  return surface;
}

/// DejaVu has all raised digits; if it is not installed, fontconfig finds another.
void takeFont(cairo_t *cairo, double pixels) {
  cairo_select_font_face(cairo, "DejaVu Sans", CAIRO_FONT_SLANT_NORMAL, CAIRO_FONT_WEIGHT_NORMAL);
  cairo_font_options_t *options = cairo_font_options_create();
  cairo_font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_OFF);
  cairo_font_options_set_hint_style(options, CAIRO_HINT_STYLE_NONE);
  cairo_set_font_options(cairo, options);
  cairo_font_options_destroy(options);
  cairo_set_font_size(cairo, pixels);
}

constexpr double lowered = 0.7; // size of "y" in "q_{y}"

/// Calls with each part of a text, and whether it is lowered.
template <class Use> void eachPart(const std::string &text, const Use &use) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t open = text.find("_{", at), close = text.find('}', open);
    use(text.substr(at, close == std::string::npos ? close : open - at), false);
    if (close == std::string::npos)
      return;
    use(text.substr(open + 2, close - open - 2), true);
    at = close + 1;
  }
}

double widthOf(cairo_t *cairo, const std::string &text, double pixels) {
  double width = 0;
  eachPart(text, [&](const std::string &part, bool low) {
    cairo_text_extents_t extents;
    takeFont(cairo, low ? lowered * pixels : pixels);
    cairo_text_extents(cairo, part.c_str(), &extents);
    width += extents.x_advance;
  });
  return width;
}

} // namespace

void checkPicture(const std::string &path) {
  formatOf(path);
  const PendingFile trial(path);
}

namespace plot {

double textWidth(const std::string &text, double pixels) {
  cairo_surface_t *surface = cairo_image_surface_create(CAIRO_FORMAT_RGB24, 1, 1);
  cairo_t *cairo = cairo_create(surface);
  const double width = widthOf(cairo, text, pixels);
  cairo_destroy(cairo);
  cairo_surface_destroy(surface);
  return width;
}

Page::Page(const std::string &path, int width, int height)
    : png(formatOf(path) == Format::Png), file(path),
      surface(surfaceFor(formatOf(path), receive, this, width, height)),
      cairo(cairo_create(surface)) {
  rectangle({0, 0, static_cast<double>(width), static_cast<double>(height)}, white);
}

Page::~Page() {
  cairo_destroy(cairo);
  cairo_surface_destroy(surface);
}

void Page::take(Colour c) { cairo_set_source_rgb(cairo, c.r / 255.0, c.g / 255.0, c.b / 255.0); }

void Page::within(const Rect &box, const std::function<void()> &draw) {
  cairo_save(cairo);
  cairo_rectangle(cairo, box.left, box.top, box.width, box.height);
  cairo_clip(cairo);
  draw();
  cairo_restore(cairo);
}

void Page::line(const std::vector<double> &x, const std::vector<double> &y, Colour colour,
                double width) {
  take(colour);
  cairo_set_line_width(cairo, width);
  cairo_set_line_join(cairo, CAIRO_LINE_JOIN_ROUND);
  for (std::size_t i = 0; i < x.size(); ++i)
    cairo_line_to(cairo, x[i], y[i]);
  cairo_stroke(cairo);
}

void Page::disc(double x, double y, double radius, Colour colour) {
  take(colour);
  cairo_arc(cairo, x, y, radius, 0, 2 * M_PI);
  cairo_fill(cairo);
}

void Page::rectangle(const Rect &box, Colour colour) {
  take(colour);
  cairo_rectangle(cairo, box.left, box.top, box.width, box.height);
  cairo_fill(cairo);
}

void Page::image(const Rect &box, const std::function<Raster(int, int)> &paint) {
  const int fineness = png ? 1 : 2; // of others, which may be enlarged
  const Raster raster =
      paint(static_cast<int>(box.width) * fineness, static_cast<int>(box.height) * fineness);
  const cairo_format_t layout = raster.cover.empty() ? CAIRO_FORMAT_RGB24 : CAIRO_FORMAT_ARGB32;
  const int stride = cairo_format_stride_for_width(layout, raster.width);
  std::vector<unsigned char> bytes(static_cast<std::size_t>(stride) * raster.height);
  for (std::size_t i = 0; i < raster.pixels.size(); ++i) {
    const Colour &c = raster.pixels[i];
    const std::uint32_t cover = raster.cover.empty() ? 255 : raster.cover[i];
    const auto part = [&](unsigned char value) { return value * cover / 255; }; // as cairo wants it
    const std::uint32_t word = cover << 24 | part(c.r) << 16 | part(c.g) << 8 | part(c.b);
    const std::size_t row = i / raster.width, column = i % raster.width;
    std::memcpy(&bytes[row * stride + 4 * column], &word, 4);
  }
  cairo_surface_t *picture = cairo_image_surface_create_for_data(bytes.data(), layout, raster.width,
                                                                 raster.height, stride);
  cairo_save(cairo);
  cairo_translate(cairo, box.left, box.top);
  cairo_scale(cairo, box.width / raster.width, box.height / raster.height);
  cairo_set_source_surface(cairo, picture, 0, 0);
  cairo_pattern_set_filter(cairo_get_source(cairo), CAIRO_FILTER_NEAREST);
  cairo_rectangle(cairo, 0, 0, raster.width, raster.height);
  cairo_fill(cairo);
  cairo_restore(cairo);
  if (!png)
    cairo_surface_flush(surface); // such surfaces copy the picture's bytes before they go
  cairo_surface_finish(picture);
  cairo_surface_destroy(picture);
}

void Page::text(double x, double y, double align, const std::string &text, double pixels,
                Colour colour, double turn) {
  take(colour);
  cairo_save(cairo);
  cairo_translate(cairo, x, y);
  cairo_rotate(cairo, turn);
  double at = -align * widthOf(cairo, text, pixels);
  takeFont(cairo, pixels);
  cairo_font_extents_t font;
  cairo_font_extents(cairo, &font);
  const double base = (font.ascent - font.descent) / 2;
  eachPart(text, [&](const std::string &part, bool low) {
    takeFont(cairo, low ? lowered * pixels : pixels);
    cairo_move_to(cairo, at, low ? base + 0.25 * pixels : base);
    cairo_show_text(cairo, part.c_str());
    cairo_get_current_point(cairo, &at, nullptr);
  });
  cairo_new_path(cairo);
  cairo_restore(cairo);
}

cairo_status_t Page::receive(void *page, const unsigned char *bytes, unsigned count) {
  auto &self = *static_cast<Page *>(page);
  try { // no exception may cross cairo
    self.file.write(bytes, count);
    return CAIRO_STATUS_SUCCESS;
  } catch (...) {
    if (!self.failure)
      self.failure = std::current_exception();
    return CAIRO_STATUS_WRITE_ERROR;
  }
}

void Page::commit() {
  cairo_status_t status = cairo_status(cairo);
  if (png)
    status = cairo_surface_write_to_png_stream(surface, receive, this);
  else
    cairo_surface_finish(surface);
  if (failure)
    std::rethrow_exception(failure);
  if (status == CAIRO_STATUS_SUCCESS)
    status = cairo_surface_status(surface);
  if (status != CAIRO_STATUS_SUCCESS && (png || status != CAIRO_STATUS_SURFACE_FINISHED))
    throw Error("picture", cairo_status_to_string(status), "", Exit::Failed);
  file.commit();
}

} // namespace plot
} // namespace facet::runtime
