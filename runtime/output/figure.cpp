// figure.cpp - figures drawn by cairo: items, frames, ticks, numbers, labels, titles, colour bars;
// the file is renamed when it is whole.
#include "runtime/output/figure.h"
#include "runtime/files/files.h"
#include "runtime/files/places.h"
#include <algorithm>
#include <cairo-pdf.h>
#include <cairo-svg.h>
#include <cmath>
#include <cstring>
#include <facet/runtime/error.h>
#include <filesystem>
#include <fontconfig/fontconfig.h>

namespace facet::runtime::plot {
namespace {

/// ".png", ".svg" or ".pdf"; throws Error for others.
std::string formatOf(const std::string &path) {
  std::string extension = std::filesystem::path(path).extension().string();
  if (extension != ".png" && extension != ".svg" && extension != ".pdf")
    throw Error(path, "facet draws no '" + extension + "' pictures", "use .png, .svg or .pdf");
  return extension;
}

/// For cairo: adds to a string.
cairo_status_t receive(void *to, const unsigned char *bytes, unsigned count) {
  static_cast<std::string *>(to)->append(reinterpret_cast<const char *>(bytes), count);
  return CAIRO_STATUS_SUCCESS;
}

cairo_surface_t *surfaceFor(const std::string &format, std::string *to, int width, int height) {
  if (format == ".png")
    return cairo_image_surface_create(CAIRO_FORMAT_RGB24, width, height);
  if (format == ".svg")
    return cairo_svg_surface_create_for_stream(receive, to, width, height);
  cairo_surface_t *surface = cairo_pdf_surface_create_for_stream(receive, to, width, height);
  // Without the time of day, so that equal runs make equal files.
  cairo_pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_CREATE_DATE, "1970-01-01T00:00:00Z");
  return surface;
}

/// A Python wheel carries its font: its machine may have none, and cairo's own has no raised
/// digits.
bool takeOwnFont() {
  const std::string file = besideLibrary("../share/facet/fonts/DejaVuSans.ttf");
  if (file.empty())
    return false;
  FcConfig *config = FcConfigCreate(); // not the system's: it may have none either
  const bool added =
      FcConfigAppFontAddFile(config, reinterpret_cast<const FcChar8 *>(file.c_str()));
  return FcConfigSetCurrent(config) && added;
}

/// DejaVu has all raised digits; if it is not installed, fontconfig finds another.
void takeFont(cairo_t *cairo, double pixels) {
  [[maybe_unused]] static const bool own = takeOwnFont();
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

/// Shapes and text in pixels of the page, y down: a PNG, SVG or PDF by cairo.
class Page {
public:
  Page(const std::string &format, int width, int height)
      : png(format == ".png"), surface(surfaceFor(format, &bytes, width, height)),
        cairo(cairo_create(surface)) {
    rectangle({0, 0, static_cast<double>(width), static_cast<double>(height)}, white);
  }
  Page(const Page &) = delete;
  Page &operator=(const Page &) = delete;
  ~Page() {
    cairo_destroy(cairo);
    cairo_surface_destroy(surface);
  }

  /// What is drawn by `draw` ends at the edges of the box.
  void within(const Rect &box, const std::function<void()> &draw) {
    cairo_save(cairo);
    cairo_rectangle(cairo, box.left, box.top, box.width, box.height);
    cairo_clip(cairo);
    draw();
    cairo_restore(cairo);
  }

  void line(const std::vector<double> &x, const std::vector<double> &y, Colour colour,
            double width) {
    take(colour);
    cairo_set_line_width(cairo, width);
    cairo_set_line_join(cairo, CAIRO_LINE_JOIN_ROUND);
    for (std::size_t i = 0; i < x.size(); ++i)
      cairo_line_to(cairo, x[i], y[i]);
    cairo_stroke(cairo);
  }

  void disc(double x, double y, double radius, Colour colour) {
    take(colour);
    cairo_arc(cairo, x, y, radius, 0, 2 * M_PI);
    cairo_fill(cairo);
  }

  void rectangle(const Rect &box, Colour colour) {
    take(colour);
    cairo_rectangle(cairo, box.left, box.top, box.width, box.height);
    cairo_fill(cairo);
  }

  void image(const Rect &box, const std::function<Raster(int, int)> &paint) {
    const int fineness = png ? 1 : 2; // SVG and PDF may be enlarged
    const Raster raster =
        paint(static_cast<int>(box.width) * fineness, static_cast<int>(box.height) * fineness);
    const cairo_format_t layout = raster.cover.empty() ? CAIRO_FORMAT_RGB24 : CAIRO_FORMAT_ARGB32;
    const int stride = cairo_format_stride_for_width(layout, raster.width);
    std::vector<unsigned char> pixels(static_cast<std::size_t>(stride) * raster.height);
    for (std::size_t i = 0; i < raster.pixels.size(); ++i) {
      const Colour &c = raster.pixels[i];
      const std::uint32_t cover = raster.cover.empty() ? 255 : raster.cover[i];
      // Colours of what is partly covered are dimmed, as cairo wants it.
      const auto part = [&](unsigned char value) { return value * cover / 255; };
      const std::uint32_t word = cover << 24 | part(c.r) << 16 | part(c.g) << 8 | part(c.b);
      const std::size_t row = i / raster.width, column = i % raster.width;
      std::memcpy(&pixels[row * stride + 4 * column], &word, 4);
    }
    cairo_surface_t *picture = cairo_image_surface_create_for_data(
        pixels.data(), layout, raster.width, raster.height, stride);
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

  /// Draws text with its middle line at y. `turn`: radians, clockwise.
  void text(double x, double y, double align, const std::string &text, double pixels, Colour colour,
            double turn = 0) {
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

  /// Closes the page and returns the bytes of the file. Throws Error.
  const std::string &file() {
    cairo_status_t status = cairo_status(cairo);
    if (png)
      status = cairo_surface_write_to_png_stream(surface, receive, &bytes);
    else
      cairo_surface_finish(surface);
    if (status == CAIRO_STATUS_SUCCESS)
      status = cairo_surface_status(surface);
    if (status != CAIRO_STATUS_SUCCESS && (png || status != CAIRO_STATUS_SURFACE_FINISHED))
      throw Error("picture", cairo_status_to_string(status), "", Exit::Failed);
    return bytes;
  }

private:
  void take(Colour c) { cairo_set_source_rgb(cairo, c.r / 255.0, c.g / 255.0, c.b / 255.0); }

  std::string bytes;
  bool png;
  cairo_surface_t *surface;
  cairo_t *cairo;
};

constexpr double longMark = 10, shortMark = 5, gap = 10; // pixels
constexpr double numberSize = 0.95, labelSize = 1.1;
constexpr double edge = 16; // of the page, that stays free
constexpr Colour pale{215, 215, 215};

/// The part of an axis that lies below a value, within reach of cairo's coordinates.
double partOf(const Scale &scale, double value) {
  const double part = scale.part(value);
  return std::isnan(part) ? -100 : std::clamp(part, -100.0, 100.0);
}

class Drawing {
public:
  Drawing(const Figure &figure, const std::string &format)
      : figure(figure), page(format, figure.width, figure.height), font(figure.pixelsOfText()) {
    for (const Panel &one : figure.panels)
      panel(one);
  }
  const std::string &file() { return page.file(); }

private:
  void panel(const Panel &p) {
    const bool framed = p.frame != Frame::Without;
    const Ticks x = framed ? p.x.ticks(partsOf(p.box.width)) : Ticks{},
                y = framed ? p.y.ticks(partsOf(p.box.height)) : Ticks{};
    if (p.grid)
      grid(p, x, y);
    for (const Item &item : p.items)
      std::visit([&](const auto &what) { this->item(p, what); }, item);
    if (framed) {
      outline(p.box);
      if (p.frame != Frame::Plain)
        marks(p, x, y);
      axisX(p, x);
      axisY(p, y);
    }
    if (!p.title.empty())
      title(p);
    if (p.colours)
      bar(p, *p.colours);
  }

  void item(const Panel &p, const Line &line) {
    std::vector<double> x, y;
    for (std::size_t i = 0; i < line.x.size(); ++i) {
      x.push_back(p.px(line.x[i]));
      y.push_back(p.py(line.y[i]));
    }
    page.within(p.box, [&] { page.line(x, y, line.colour, line.width); });
  }
  void item(const Panel &p, const Disc &disc) {
    page.disc(p.px(disc.x), p.py(disc.y), disc.radius, disc.colour);
  }
  void item(const Panel &p, const Bar &bar) {
    const double left = p.px(bar.x0), top = std::min(p.py(bar.y0), p.py(bar.y1));
    const Rect box{left, top, std::max(p.px(bar.x1) - left, 0.5),
                   std::abs(p.py(bar.y1) - p.py(bar.y0))};
    page.rectangle(box, bar.striped ? white : bar.colour);
    if (bar.striped)
      page.within(box, [&] {
        for (double at = -box.height; at < box.width; at += 9)
          page.line({left + at, left + at + box.height}, {top + box.height, top}, bar.colour, 1.4);
      });
  }
  void item(const Panel &p, const Text &text) {
    page.text(p.px(text.x) + text.dx, p.py(text.y) + text.dy, text.align, text.text,
              font * text.size, text.colour, -std::atan2(text.rise, text.run));
  }
  void item(const Panel &p, const Image &image) { page.image(p.box, image.paint); }

  static int partsOf(double pixels) { return pixels > 700 ? 8 : pixels > 400 ? 7 : 5; }

  void line(double x0, double y0, double x1, double y1, Colour colour) {
    const auto sharp = [](double at) { return std::floor(at) + 0.5; };
    page.line({sharp(x0), sharp(x1)}, {sharp(y0), sharp(y1)}, colour, 1);
  }
  void outline(const Rect &box) {
    const double right = box.left + box.width, bottom = box.top + box.height;
    line(box.left, box.top, right, box.top, black);
    line(box.left, bottom, right, bottom, black);
    line(box.left, box.top, box.left, bottom, black);
    line(right, box.top, right, bottom, black);
  }
  void grid(const Panel &p, const Ticks &x, const Ticks &y) {
    const double right = p.box.left + p.box.width, bottom = p.box.top + p.box.height;
    for (const Tick &tick : x.labelled)
      line(across(p, tick.at), p.box.top, across(p, tick.at), bottom, pale);
    for (const Tick &tick : y.labelled)
      line(p.box.left, up(p, tick.at), right, up(p, tick.at), pale);
  }
  void marks(const Panel &p, const Ticks &ofX, const Ticks &ofY) {
    const double sign = p.frame == Frame::Outside ? -1 : 1;
    const double right = p.box.left + p.box.width, bottom = p.box.top + p.box.height;
    each(ofX, [&](double at, double length) {
      const double x = across(p, at);
      line(x, bottom, x, bottom - sign * length, black);
      line(x, p.box.top, x, p.box.top + sign * length, black);
    });
    each(ofY, [&](double at, double length) {
      const double y = up(p, at);
      line(p.box.left, y, p.box.left + sign * length, y, black);
      line(right, y, right - sign * length, y, black);
    });
  }
  template <class Use> static void each(const Ticks &ticks, const Use &use) {
    for (const Tick &tick : ticks.labelled)
      use(tick.at, longMark);
    for (const double at : ticks.plain)
      use(at, shortMark);
  }
  /// Takes places, not values.
  static double across(const Panel &p, double at) {
    return p.box.left + p.box.width * (at - p.x.low) / (p.x.high - p.x.low);
  }
  static double up(const Panel &p, double at) {
    return p.box.top + p.box.height * (1 - (at - p.y.low) / (p.y.high - p.y.low));
  }

  /// How large text around a panel is, relative to that on a page of 1200 x 900.
  double unit(const Panel &p) const { return p.size * font / Figure::fontFor(1200, 900); }
  /// Pixels of text that is to be no longer than `room`.
  double fitting(const std::string &text, double size, double room) const {
    const double width = textWidth(text, font * size);
    return width > room ? font * size * room / width : font * size;
  }
  double widest(const Panel &p, const Ticks &ticks) const {
    double width = 0;
    for (const Tick &tick : ticks.labelled)
      width = std::max(width, textWidth(tick.text, font * numberSize * p.size));
    return width;
  }

  void axisX(const Panel &p, const Ticks &ticks) {
    const double bottom = p.box.top + p.box.height, pixels = font * numberSize * p.size;
    for (const Tick &tick : ticks.labelled) {
      const double half = textWidth(tick.text, pixels) / 2; // the last may be a long one
      page.text(std::min(across(p, tick.at), figure.width - half - 4), bottom + 36 * unit(p), 0.5,
                tick.text, pixels, black);
    }
    const std::string label = withPower(p.x.label, ticks.power);
    page.text(p.box.left + p.box.width / 2, bottom + 72 * unit(p), 0.5, label,
              fitting(label, labelSize * p.size, figure.width - 2 * edge), black);
  }
  void axisY(const Panel &p, const Ticks &ticks) {
    const double from = p.box.left - gap - (p.frame == Frame::Outside ? longMark : 0);
    for (const Tick &tick : ticks.labelled)
      page.text(from, up(p, tick.at), 1, tick.text, font * numberSize * p.size, black);
    upright(p, p.y.label, ticks, std::max(from - widest(p, ticks) - 38 * unit(p), edge + 4));
  }
  void upright(const Panel &p, const std::string &text, const Ticks &ticks, double x) {
    const std::string label = withPower(text, ticks.power);
    page.text(x, p.box.top + p.box.height / 2, 0.5, label,
              fitting(label, labelSize * p.size, figure.height - 2 * edge), black, -M_PI / 2);
  }

  /// Draws the bar of colours on the right: an axis that is its own image.
  void bar(const Panel &p, const Scale &colours) {
    const double left = std::round(p.box.left + p.box.width + 28);
    const Panel bar{.box = {left, p.box.top, 30, p.box.height}, .y = colours, .size = p.size};
    page.image(bar.box, [&](int, int steps) {
      Raster raster(1, steps);
      for (int i = 0; i < steps; ++i)
        raster.at(0, steps - 1 - i) = colourAt((i + 0.5) / steps, colours.map);
      return raster;
    });
    const Ticks ticks = colours.ticks(bar.box.height > 400 ? 6 : 4);
    outline(bar.box);
    marks(bar, {}, ticks);
    const double right = bar.box.left + bar.box.width + gap;
    for (const Tick &tick : ticks.labelled)
      page.text(right, up(bar, tick.at), 0, tick.text, font * numberSize * p.size, black);
    upright(bar, colours.label, ticks,
            std::min(right + widest(p, ticks) + 40 * unit(p), figure.width - edge - 10));
  }

  /// Draws the title above the box, over its middle if the page allows.
  void title(const Panel &p) {
    const double room = figure.width - 2 * edge;
    const auto [lines, size] = fitted(
        p.title, room, [&](const std::string &line) { return textWidth(line, font * p.size); });
    for (std::size_t i = 0; i < lines.size(); ++i) {
      const double half = textWidth(lines[i], font * p.size * size) / 2;
      const double x = std::clamp(p.box.left + p.box.width / 2, edge + half,
                                  std::max(edge + half, figure.width - edge - half));
      const double rise = lines.size() == 1 ? 34 : 54 - 32 * static_cast<double>(i);
      page.text(x, p.box.top - rise * std::max(1.0, unit(p)), 0.5, lines[i], font * p.size * size,
                black);
    }
  }

  const Figure &figure;
  Page page;
  double font;
};

/// The last blank before the middle of a text, or the first behind it.
std::size_t blankNearMiddle(const std::string &text) {
  const std::size_t before = text.rfind(' ', text.size() / 2);
  const std::size_t after = text.find(' ', text.size() / 2);
  if (before == std::string::npos || after == std::string::npos)
    return std::min(before, after);
  return text.size() / 2 - before < after - text.size() / 2 ? before : after;
}

/// Removes the last character, which may be several bytes of UTF-8.
void shorten(std::string &text) {
  while (!text.empty() && (static_cast<unsigned char>(text.back()) & 0xc0) == 0x80)
    text.pop_back();
  if (!text.empty())
    text.pop_back();
}

} // namespace

double textWidth(const std::string &text, double pixels) {
  cairo_surface_t *surface = cairo_image_surface_create(CAIRO_FORMAT_RGB24, 1, 1);
  cairo_t *cairo = cairo_create(surface);
  const double width = widthOf(cairo, text, pixels);
  cairo_destroy(cairo);
  cairo_surface_destroy(surface);
  return width;
}

void Panel::add(Item item) { items.push_back(std::move(item)); }
double Panel::px(double value) const { return box.left + box.width * partOf(x, value); }
double Panel::py(double value) const { return box.top + box.height * (1 - partOf(y, value)); }

Panel Figure::page() const {
  const double w = width, h = height;
  return {.box = {0, 0, w, h}, .x = {"", 0, w}, .y = {"", h, 0}, .frame = Frame::Without};
}

void addHeading(Panel &page, double y, const std::string &text, double size) {
  const double width = page.box.width,
               font = Figure::fontFor(static_cast<int>(width), static_cast<int>(page.box.height)),
               most = (width - 2 * edge) / textWidth(text, font);
  page.add(Text{width / 2, y, text, std::min(size, most)});
}

void addKey(Panel &page, double x, double y, Colour colour, const std::string &text, double size) {
  page.add(Disc{x, y, 7, colour});
  page.add(Text{x + 16, y, text, size, 0});
}

FittedTitle fitted(const std::string &title, double room,
                   const std::function<double(const std::string &)> &width) {
  constexpr double largest = 1.25, least = 0.8; // below it two lines are read better
  const double whole = width(title);
  if (whole * least <= room)
    return {{title}, std::min(largest, room / std::max(whole, 1e-3))};
  std::vector<std::string> lines{title};
  if (const std::size_t at = blankNearMiddle(title); at != std::string::npos)
    lines = {title.substr(0, at), title.substr(at + 1)};
  double longest = 0;
  for (const std::string &line : lines)
    longest = std::max(longest, width(line));
  const double size = std::clamp(room / longest, 0.6, least);
  for (std::string &line : lines)
    if (width(line) * size > room) {
      while (!line.empty() && width(line + "..") * size > room)
        shorten(line);
      line += "..";
    }
  return {lines, size};
}

void draw(const Figure &figure, const std::string &path) {
  writeText(path, Drawing(figure, formatOf(path)).file());
}

} // namespace facet::runtime::plot

void facet::runtime::checkPicture(const std::string &path) {
  plot::formatOf(path);
  const PendingFile trial(path);
}
