// canvas.cpp - a page drawn by PLplot (axes, text, lines) and cairo (images), to PNG, SVG or PDF.
#include "runtime/output/canvas.h"
#include <algorithm>
#include <cairo-pdf.h>
#include <cairo-svg.h>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <facet/runtime/error.h>
#include <facet/runtime/output.h>
#include <filesystem>
#include <plplot/plplot.h>

namespace facet::runtime {

namespace {
constexpr double dotsPerInch = 120;
// PLplot's text grows with the mean of a page's sides: seen, of text of size 1 in its font.
constexpr double fontPixels = 28.2 / 1050;

cairo_surface_t *surfaceFor(PictureFormat format, cairo_write_func_t write, void *to, int width,
                            int height) {
  if (format == PictureFormat::Png)
    return cairo_image_surface_create(CAIRO_FORMAT_RGB24, width, height);
  if (format == PictureFormat::Svg)
    return cairo_svg_surface_create_for_stream(write, to, width, height);
  cairo_surface_t *surface = cairo_pdf_surface_create_for_stream(write, to, width, height);
  // Without the time of day, so that equal runs make equal files.
  cairo_pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_CREATE_DATE, "1970-01-01T00:00:00Z");
  return surface;
}

/// Without the driver PLplot would ask for another one on the terminal.
void requireDriver() {
  const char *menu[64] = {}, *device[64] = {};
  const char **menus = menu, **devices = device;
  int count = 64;
  plgFileDevs(&menus, &devices, &count);
  bool found = false;
  for (int i = 0; i < count && i < 64; ++i)
    found = found || (devices[i] && std::strcmp(devices[i], "pngcairo") == 0);
  if (!found)
    throw Error("", "PLplot's cairo driver is not installed", "apt install plplot-driver-cairo",
                Exit::Failed);
}
} // namespace

PictureFormat pictureFormat(const std::string &path) {
  const std::string extension = std::filesystem::path(path).extension().string();
  if (extension == ".png")
    return PictureFormat::Png;
  if (extension == ".svg")
    return PictureFormat::Svg;
  if (extension == ".pdf")
    return PictureFormat::Pdf;
  throw Error(path, "facet draws no '" + extension + "' pictures", "use .png, .svg or .pdf");
}

void checkPicture(const std::string &path) {
  pictureFormat(path);
  const PendingFile trial(path);
}

Colour colourAt(double place, ColourMap map) {
  using enum ColourMap;
  static const std::array<std::vector<Colour>, 3> tables = [] {
    std::array<std::vector<Colour>, 3> all;
#define FACET_COLOUR(map, r, g, b) all[static_cast<std::size_t>(map)].push_back({r, g, b});
#include "runtime/output/colours.def"
    return all;
  }();
  const std::vector<Colour> &table = tables[static_cast<std::size_t>(map)];
  double at = std::clamp(place, 0.0, 1.0) * static_cast<double>(table.size() - 1);
  auto i = std::min(static_cast<std::size_t>(at), table.size() - 2);
  double part = at - static_cast<double>(i);
  auto mix = [&](unsigned char a, unsigned char b) {
    return static_cast<unsigned char>(std::lround(a + (b - a) * part));
  };
  return {mix(table[i].r, table[i + 1].r), mix(table[i].g, table[i + 1].g),
          mix(table[i].b, table[i + 1].b)};
}

std::string escaped(const std::string &text) {
  std::string result;
  for (char c : text)
    result += c == '#' ? std::string("##") : std::string(1, c);
  return result;
}

Canvas::Canvas(const std::string &path, int width, int height)
    : file((pictureFormat(path), path)), format(pictureFormat(path)), pageWidth(width),
      pageHeight(height) {
  requireDriver();
  surface = surfaceFor(format, receive, this, width, height);
  cairo = cairo_create(surface);
  cairo_set_source_rgb(cairo, 1, 1, 1);
  cairo_paint(cairo);
  plsdev("extcairo");
  plspage(dotsPerInch, dotsPerInch, width, height, 0, 0);
  plsetopt("drvopt", "text_anti_aliasing=3,graphics_anti_aliasing=3");
  plinit();
  pl_cmd(PLESC_DEVINIT, cairo);
  pladv(0);
  plschr(0, 1);
  plfont(1);
}

Canvas::~Canvas() {
  if (cairo) {
    plend();
    cairo_destroy(cairo);
  }
  cairo_surface_destroy(surface);
}

void Canvas::window(const Box &box, double x0, double x1, double y0, double y1) {
  plvpor(box.left / pageWidth, (box.left + box.width) / pageWidth,
         1 - (box.top + box.height) / pageHeight, 1 - box.top / pageHeight);
  plwind(x0, x1, y0, y1);
}

void Canvas::colour(Colour c, double width) {
  plscol0(1, c.r, c.g, c.b);
  plcol0(1);
  plwidth(width);
}

void Canvas::frame(const char *x, double xStep, int xParts, const char *y, double yStep,
                   int yParts) {
  plschr(0, 0.95);
  plsmaj(0, 0.6);
  plsmin(0, 0.55);
  plbox(x, xStep, xParts, y, yStep, yParts);
}

void Canvas::image(const Box &box, const Raster &raster) {
  const cairo_format_t layout = raster.cover.empty() ? CAIRO_FORMAT_RGB24 : CAIRO_FORMAT_ARGB32;
  int stride = cairo_format_stride_for_width(layout, raster.width);
  std::vector<unsigned char> bytes(static_cast<std::size_t>(stride) * raster.height);
  for (std::size_t i = 0; i < raster.pixels.size(); ++i) {
    const Colour &c = raster.pixels[i];
    std::uint32_t cover = raster.cover.empty() ? 255 : raster.cover[i];
    auto part = [&](unsigned char value) {
      return value * cover / 255;
    }; // cairo wants them multiplied
    std::uint32_t word = cover << 24 | part(c.r) << 16 | part(c.g) << 8 | part(c.b);
    std::size_t row = i / raster.width, column = i % raster.width;
    std::memcpy(&bytes[row * stride + 4 * column], &word, 4);
  }
  cairo_surface_t *picture = cairo_image_surface_create_for_data(bytes.data(), layout, raster.width,
                                                                 raster.height, stride);
  cairo_save(cairo);
  cairo_identity_matrix(cairo);
  cairo_reset_clip(cairo);
  cairo_translate(cairo, box.left, box.top);
  cairo_scale(cairo, box.width / raster.width, box.height / raster.height);
  cairo_set_source_surface(cairo, picture, 0, 0);
  cairo_pattern_set_filter(cairo_get_source(cairo), CAIRO_FILTER_NEAREST);
  cairo_rectangle(cairo, 0, 0, raster.width, raster.height);
  cairo_fill(cairo);
  cairo_restore(cairo);
  if (format != PictureFormat::Png)
    cairo_surface_flush(surface); // such surfaces copy the picture's bytes before they go
  cairo_surface_finish(picture);
  cairo_surface_destroy(picture);
}

void Canvas::line(const std::vector<double> &x, const std::vector<double> &y, Colour c,
                  double width) {
  colour(c, width);
  plline(static_cast<PLINT>(x.size()), x.data(), y.data());
}

void Canvas::disc(double x, double y, double radius, Colour c) {
  cairo_save(cairo);
  cairo_identity_matrix(cairo);
  cairo_reset_clip(cairo);
  cairo_set_source_rgb(cairo, c.r / 255.0, c.g / 255.0, c.b / 255.0);
  cairo_new_path(cairo);
  cairo_arc(cairo, x, y, radius, 0, 2 * M_PI);
  cairo_fill(cairo);
  cairo_restore(cairo);
}

void Canvas::rectangle(const Box &box, Colour c) {
  cairo_save(cairo);
  cairo_identity_matrix(cairo);
  cairo_reset_clip(cairo);
  cairo_set_source_rgb(cairo, c.r / 255.0, c.g / 255.0, c.b / 255.0);
  cairo_new_path(cairo);
  cairo_rectangle(cairo, box.left, box.top, box.width, box.height);
  cairo_fill(cairo);
  cairo_restore(cairo);
}

void Canvas::text(double x, double y, double align, const std::string &text, double size,
                  bool upright) {
  slanted(x, y, upright ? 0 : 1, upright ? 1 : 0, align, text, size);
}

double Canvas::textWidth(const std::string &text, double size) const {
  // PLplot does not tell; cairo knows the same font.
  cairo_save(cairo);
  cairo_font_options_t *options = cairo_font_options_create();
  cairo_font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_OFF);
  cairo_set_font_options(cairo, options);
  cairo_font_options_destroy(options);
  cairo_select_font_face(cairo, "sans-serif", CAIRO_FONT_SLANT_NORMAL, CAIRO_FONT_WEIGHT_NORMAL);
  cairo_set_font_size(cairo, fontPixels * 0.5 * (pageWidth + pageHeight) * textScale * size);
  cairo_text_extents_t extents;
  cairo_text_extents(cairo, text.c_str(), &extents);
  cairo_restore(cairo);
  return extents.x_advance;
}

void Canvas::textAs(int width, int height) {
  textScale = static_cast<double>(width + height) / (pageWidth + pageHeight);
}

void Canvas::slanted(double x, double y, double run, double rise, double align,
                     const std::string &text, double size) {
  window({0, 0, static_cast<double>(pageWidth), static_cast<double>(pageHeight)}, 0, pageWidth, 0,
         pageHeight);
  plschr(0, textScale * size);
  plptex(x, pageHeight - y, run, rise, align, text.c_str());
}

cairo_status_t Canvas::receive(void *canvas, const unsigned char *bytes, unsigned count) {
  auto &self = *static_cast<Canvas *>(canvas);
  try { // no exception may cross cairo
    self.file.write(bytes, count);
    return CAIRO_STATUS_SUCCESS;
  } catch (...) {
    if (!self.failure)
      self.failure = std::current_exception();
    return CAIRO_STATUS_WRITE_ERROR;
  }
}

void Canvas::commit() {
  pleop();
  plend();
  cairo_destroy(cairo);
  cairo = nullptr;
  cairo_status_t status = CAIRO_STATUS_SUCCESS;
  if (format != PictureFormat::Png)
    cairo_surface_finish(surface);
  else
    status = cairo_surface_write_to_png_stream(surface, receive, this);
  if (failure)
    std::rethrow_exception(failure);
  if (status == CAIRO_STATUS_SUCCESS)
    status = cairo_surface_status(surface);
  if (format != PictureFormat::Png && status == CAIRO_STATUS_SURFACE_FINISHED)
    status = CAIRO_STATUS_SUCCESS;
  if (status != CAIRO_STATUS_SUCCESS)
    throw Error("picture", cairo_status_to_string(status), "", Exit::Failed);
  file.commit();
}

} // namespace facet::runtime
