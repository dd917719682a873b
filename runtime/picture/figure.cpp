// figure.cpp - figures drawn by cairo: items, frames, ticks, numbers, labels, titles, colour bars;
// the file is renamed when it is whole.
#include "runtime/picture/figure.h"
#include "runtime/engine/system/files.h"
#include <algorithm>
#include <cairo-pdf.h>
#include <cairo-svg.h>
#include <cmath>
#include <cstring>
#include <facet/runtime/error.h>
#include <filesystem>
#include <fmt/format.h>

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
  if (format.empty()) // where texts are is wanted, not the picture
    return cairo_recording_surface_create(CAIRO_CONTENT_COLOR, nullptr);
  cairo_surface_t *surface = cairo_pdf_surface_create_for_stream(receive, to, width, height);
  // Without the time of day, so that equal runs make equal files.
  cairo_pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_CREATE_DATE, "1970-01-01T00:00:00Z");
  return surface;
}

/// Shapes and text in pixels of the page, y down: a PNG, SVG or PDF by cairo. Format "": no images
/// are painted, and there is no file.
class Page {
public:
  Page(const std::string &format, int width, int height)
      : png(format == ".png"), paints(!format.empty()),
        surface(surfaceFor(format, &bytes, width, height)), cairo(cairo_create(surface)) {
    rectangle({0, 0, static_cast<double>(width), static_cast<double>(height)}, white);
  }
  Page(Page &&) = delete;
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
    if (!paints)
      return;
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

  /// Draws text, and keeps what it covers.
  void text(const TextPlace &place, const std::string &text, double pixels, Colour colour,
            bool halo = false) {
    take(colour);
    written.push_back(drawText(cairo, place, text, pixels, halo));
  }
  const std::vector<Lettering> &lettering() const { return written; }

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
  bool png, paints;
  std::vector<Lettering> written;
  cairo_surface_t *surface;
  cairo_t *cairo;
};

constexpr double longMark = 10, shortMark = 5, gap = 10; // pixels, times the page's unit
constexpr double numberSize = 0.95, labelSize = 1.1;
constexpr double edge = 16; // of the page, that stays free, times the unit
constexpr Colour pale{215, 215, 215};

/// The part of an axis that lies below a value, within reach of cairo's coordinates.
double partOf(const Scale &scale, double value) {
  const double part = scale.part(value);
  return std::isnan(part) ? -100 : std::clamp(part, -100.0, 100.0);
}

/// Every n-th number, n as small as keeps them apart; the others stay as marks. `at`: what a number
/// would cover.
Ticks apart(const Ticks &ticks, const std::function<Lettering(const Tick &)> &at) {
  const auto &all = ticks.labelled;
  const auto zero = std::ranges::find_if(all, [](const Tick &t) { return t.text == "0"; });
  for (std::size_t step = 1; step < all.size(); ++step) {
    const std::size_t first = zero == all.end() ? 0 : (zero - all.begin()) % step;
    Ticks some{{}, ticks.plain, ticks.power};
    for (std::size_t i = 0; i < all.size(); ++i)
      if (i % step == first)
        some.labelled.push_back(all[i]);
      else
        some.plain.push_back(all[i].at);
    bool clear = true;
    for (std::size_t i = 1; i < some.labelled.size() && clear; ++i)
      clear = !at(some.labelled[i - 1]).overlaps(at(some.labelled[i]));
    if (clear)
      return some;
  }
  return ticks;
}

TextPlace placeOf(const Panel &p, const Text &text) {
  return {p.px(text.x) + text.dx, p.py(text.y) + text.dy, text.align,
          -std::atan2(text.rise, text.run)};
}

class FigureDrawing {
public:
  FigureDrawing(const Figure &figure, const std::string &format)
      : figure(figure), page(format, figure.width, figure.height), font(figure.pixelsOfText()),
        edge(figure.unit() * plot::edge) {
    for (const Panel &one : figure.panels)
      panel(one);
  }
  const std::string &file() { return page.file(); }
  const std::vector<Lettering> &lettering() const { return page.lettering(); }

private:
  void panel(const Panel &p) {
    const bool framed = p.frame != Frame::Without;
    const Ticks x = framed ? ticksOfX(p) : Ticks{}, y = framed ? ticksOfY(p, p.y) : Ticks{};
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
    page.text(placeOf(p, text), text.text, sized(text.size), text.colour, text.halo);
  }
  void item(const Panel &p, const Image &image) { page.image(p.box, image.paint); }

  int partsOf(double pixels) const {
    pixels /= figure.unit();
    return pixels > 700 ? 8 : pixels > 400 ? 7 : 5;
  }
  /// Pixels of text of a size.
  double sized(double size) const { return figure.pixelsOf(size); }
  double numbers(const Panel &p) const { return sized(numberSize * p.size); }
  double mark(double length) const { return std::max(2.0, figure.unit() * length); }

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
  template <class Use> void each(const Ticks &ticks, const Use &use) const {
    for (const Tick &tick : ticks.labelled)
      use(tick.at, mark(longMark));
    for (const double at : ticks.plain)
      use(at, mark(shortMark));
  }
  /// Takes places, not values.
  static double across(const Panel &p, double at) {
    return p.box.left + p.box.width * (at - p.x.low) / (p.x.high - p.x.low);
  }
  static double up(const Panel &p, double at) {
    return p.box.top + p.box.height * (1 - (at - p.y.low) / (p.y.high - p.y.low));
  }

  /// How large text around a panel is, relative to that on a page of 1200 x 900.
  double unit(const Panel &p) const { return p.size * figure.unit(); }
  /// A label, smaller if it is longer than `room`, then cut.
  std::pair<std::string, double> fitting(const std::string &text, double size, double room) const {
    const double pixels =
        sized(size * std::min(1.0, room / std::max(1.0, textWidth(text, font * size))));
    return {cutToFit(text, pixels, room), pixels};
  }
  double widest(const Panel &p, const Ticks &ticks) const {
    double width = 0;
    for (const Tick &tick : ticks.labelled)
      width = std::max(width, textWidth(tick.text, numbers(p)));
    return width;
  }

  /// Where numbers stand: below the box, on its left, on the right of a bar of colours.
  TextPlace belowAt(const Panel &p, const Tick &tick) const {
    const double half = textWidth(tick.text, numbers(p)) / 2; // the last may be a long one
    return {std::min(across(p, tick.at), figure.width - half - 4),
            p.box.top + p.box.height + 36 * unit(p)};
  }
  TextPlace leftAt(const Panel &p, const Tick &tick) const {
    return {p.box.left - mark(gap) - (p.frame == Frame::Outside ? mark(longMark) : 0),
            up(p, tick.at), 1};
  }
  TextPlace rightAt(const Panel &bar, const Tick &tick) const {
    return {bar.box.left + bar.box.width + mark(gap), up(bar, tick.at), 0};
  }
  Ticks ticksOfX(const Panel &p) const {
    return apart(p.x.ticks(partsOf(p.box.width)), [&](const Tick &tick) {
      return letteringAt(belowAt(p, tick), " " + tick.text + "i", numbers(p)); // with a gap
    });
  }
  Ticks ticksOfY(const Panel &p, const Scale &scale) const {
    return apart(scale.ticks(partsOf(p.box.height)), [&](const Tick &tick) {
      return letteringAt(leftAt(p, tick), tick.text, 1.2 * numbers(p));
    });
  }

  void axisX(const Panel &p, const Ticks &ticks) {
    for (const Tick &tick : ticks.labelled)
      page.text(belowAt(p, tick), tick.text, numbers(p), black);
    const auto [label, pixels] =
        fitting(withPower(p.x.label, ticks.power), labelSize * p.size, figure.width - 2 * edge);
    const double half = textWidth(label, pixels) / 2 + edge;
    page.text({std::clamp(p.box.left + p.box.width / 2, half, std::max(half, figure.width - half)),
               p.box.top + p.box.height + 74 * unit(p)},
              label, pixels, black);
  }
  void axisY(const Panel &p, const Ticks &ticks) {
    for (const Tick &tick : ticks.labelled)
      page.text(leftAt(p, tick), tick.text, numbers(p), black);
    const double from = leftAt(p, {}).x - widest(p, ticks);
    upright(p, p.y.label, ticks, std::max(from - 36 * unit(p), edge + 4));
  }
  void upright(const Panel &p, const std::string &text, const Ticks &ticks, double x) {
    const double from = std::max(edge, p.box.top - 6 * figure.unit()), // below the title
        to = std::min(figure.height - edge, p.box.top + p.box.height + 60 * figure.unit());
    const auto [label, pixels] =
        fitting(withPower(text, ticks.power), labelSize * p.size, to - from);
    const double half = textWidth(label, pixels) / 2;
    page.text(
        {x, std::clamp(p.box.top + p.box.height / 2, from + half, std::max(from + half, to - half)),
         0.5, -M_PI / 2},
        label, pixels, black);
  }

  /// Draws the bar of colours on the right: an axis that is its own image.
  void bar(const Panel &p, const Scale &colours) {
    const double left = std::round(p.box.left + p.box.width + 28 * figure.unit());
    const Panel bar{.box = {left, p.box.top, std::round(30 * figure.unit()), p.box.height},
                    .y = colours,
                    .size = p.size};
    page.image(bar.box, [&](int, int steps) {
      Raster raster(1, steps);
      for (int i = 0; i < steps; ++i)
        raster.at(0, steps - 1 - i) = colourAt((i + 0.5) / steps, colours.map);
      return raster;
    });
    const Ticks ticks = ticksOfY(bar, colours);
    outline(bar.box);
    marks(bar, {}, ticks);
    for (const Tick &tick : ticks.labelled)
      page.text(rightAt(bar, tick), tick.text, numbers(p), black);
    upright(bar, colours.label, ticks,
            std::min(rightAt(bar, {}).x + widest(p, ticks) + 40 * unit(p),
                     figure.width - edge - 10 * figure.unit()));
  }

  /// Draws the title above the box, over its middle if the page allows, on one line or two.
  void title(const Panel &p) {
    const double room = figure.width - 2 * edge, one = font * p.size,
                 least = figure.leastPixels() / one, above = 14 * figure.unit();
    const auto width = [&](const std::string &line) { return textWidth(line, one); };
    auto [lines, size] = fitted(notation(p.title), room, width, std::max(0.6, least));
    const auto riseOf = [&](std::size_t line) {
      return above + one * size * (0.75 + 1.25 * static_cast<double>(lines.size() - 1 - line));
    };
    if (lines.size() == 2 && riseOf(0) + 0.55 * one * size > p.box.top)
      lines = {cutToFit(p.title, one * size, room)};
    for (std::size_t i = 0; i < lines.size(); ++i) {
      const double half = width(lines[i]) * size / 2;
      const double x = std::clamp(p.box.left + p.box.width / 2, edge + half,
                                  std::max(edge + half, figure.width - edge - half));
      page.text({x, p.box.top - riseOf(i)}, lines[i], one * size, black);
    }
  }

  const Figure &figure;
  Page page;
  double font, edge;
};

} // namespace

void Panel::add(Item item) { items.push_back(std::move(item)); }
double Panel::px(double value) const { return box.left + box.width * partOf(x, value); }
double Panel::py(double value) const { return box.top + box.height * (1 - partOf(y, value)); }

Panel Figure::page() const {
  const double w = width, h = height;
  return {.box = {0, 0, w, h}, .x = {"", 0, w}, .y = {"", h, 0}, .frame = Frame::Without};
}

double Figure::fontFor(int width, int height) {
  return std::max({std::min(28.2 / 2100 * (width + height), 28.2 / 500 * std::min(width, height)),
                   leastText * std::max(1.0, width / shownWidth)});
}

void addHeading(const Figure &figure, Panel &page, double y, const std::string &text, double size) {
  const double font = figure.pixelsOfText(), room = figure.width - 2 * edge * figure.unit();
  size = std::max(std::min(size, room / textWidth(text, font)), figure.leastPixels() / font);
  page.add(Text{figure.width / 2.0, y, cutToFit(text, font * size, room), size});
}

double addKey(const Figure &figure, Panel &page, double x, double y, Colour colour,
              const std::string &text, double size) {
  page.add(Disc{x, y, 7, colour});
  page.add(Text{x + 16, y, text, size, 0});
  const double pixels = figure.pixelsOf(size);
  return x + 16 + textWidth(text, pixels) + 1.5 * pixels;
}

Lettering letteringOf(const Figure &figure, const Panel &panel, const Text &text) {
  return letteringAt(placeOf(panel, text), text.text, figure.pixelsOf(text.size));
}

std::vector<Lettering> letteringOf(const Figure &figure) {
  return FigureDrawing(figure, "").lettering();
}

std::vector<std::string> faultsOf(const Figure &figure) {
  constexpr double slack = 1e-6;
  std::vector<std::string> faults;
  const std::vector<Lettering> all = letteringOf(figure);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Lettering &one = all[i];
    const double shown = one.pixels * leastText / figure.leastPixels();
    if (shown < leastText - slack)
      faults.push_back(fmt::format("'{}' is {:.1f} pixels large as shown", one.text, shown));
    for (const auto &[x, y] : one.corners)
      if (x < 0 || y < 0 || x > figure.width || y > figure.height) {
        faults.push_back(fmt::format("'{}' leaves the page", one.text));
        break;
      }
    for (std::size_t j = 0; j < i; ++j)
      if (one.overlaps(all[j]))
        faults.push_back(fmt::format("'{}' overlaps '{}'", one.text, all[j].text));
  }
  return faults;
}

void draw(const Figure &figure, const std::string &path) {
  writeText(path, FigureDrawing(figure, formatOf(path)).file());
}

} // namespace facet::runtime::plot

void facet::runtime::checkPicture(const std::string &path) {
  plot::formatOf(path);
  const PendingFile trial(path);
}
