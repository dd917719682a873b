// figure.cpp - figures drawn: items, frames, ticks, numbers, labels, titles, colour bars.
#include "runtime/output/figure.h"
#include "runtime/output/page.h"
#include <algorithm>
#include <cmath>

namespace facet::runtime::plot {
namespace {

constexpr double longMark = 10, shortMark = 5, gap = 10; // pixels
constexpr double numberSize = 0.95, labelSize = 1.1;
constexpr double edge = 16; // of the page, that stays free
constexpr Colour pale{215, 215, 215};

/// Parts of an axis within reach of cairo's coordinates.
double partOf(const Scale &scale, double value) {
  const double part = scale.part(value);
  return std::isnan(part) ? -100 : std::clamp(part, -100.0, 100.0);
}

class Drawing {
public:
  Drawing(const Figure &figure, const std::string &path)
      : figure(figure), page(path, figure.width, figure.height), font(figure.pixelsOfText()) {}

  void draw() {
    for (const Panel &panel : figure.panels)
      this->panel(panel);
    page.commit();
  }

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

  /// What text around a panel takes of the page, beside what it takes on one of 1200 x 900.
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

  /// On the right: an axis that is its own image.
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

  /// Above the box, over its middle if the page allows.
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

/// Without the last character, which may be several bytes of UTF-8.
void shorten(std::string &text) {
  while (!text.empty() && (static_cast<unsigned char>(text.back()) & 0xc0) == 0x80)
    text.pop_back();
  if (!text.empty())
    text.pop_back();
}

} // namespace

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

void draw(const Figure &figure, const std::string &path) { Drawing(figure, path).draw(); }

} // namespace facet::runtime::plot
