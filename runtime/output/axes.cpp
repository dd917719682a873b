// axes.cpp - frames, ticks, numbers, labels and titles, drawn in pixels of the page.
#include "runtime/output/axes.h"
#include <algorithm>

namespace facet::runtime {
namespace {

constexpr double longMark = 10, shortMark = 5, gap = 10; // pixels
constexpr double numberSize = 0.95, labelSize = 1.1;
constexpr double edge = 16; // of the page, that stays free

/// What PLplot's text for an axis label shows: without its escapes.
std::string shown(const std::string &text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '#' && i + 1 < text.size() && text[++i] != '#')
      continue;
    plain += text[i];
  }
  return plain;
}

/// A size at which text takes no more than `room`.
double sizeFor(const Canvas &canvas, const std::string &text, double size, double room) {
  const double width = canvas.textWidth(shown(text), size);
  return width > room ? size * room / width : size;
}

double widest(const Canvas &canvas, const Ticks &ticks) {
  double width = 0;
  for (const Tick &tick : ticks.labelled)
    width = std::max(width, canvas.textWidth(tick.text, numberSize));
  return width;
}

class Drawing {
public:
  Drawing(Canvas &canvas, const Box &box, Marks marks)
      : canvas(canvas), box(box), sign(marks == Marks::Outside ? -1 : 1) {}

  void line(double x0, double y0, double x1, double y1, Colour colour) {
    canvas.window({0, 0, double(canvas.width()), double(canvas.height())}, 0, canvas.width(),
                  canvas.height(), 0);
    canvas.line({x0, x1}, {y0, y1}, colour, 1);
  }
  void outline() {
    const double right = box.left + box.width, bottom = box.top + box.height;
    line(box.left, box.top, right, box.top, black);
    line(box.left, bottom, right, bottom, black);
    line(box.left, box.top, box.left, bottom, black);
    line(right, box.top, right, bottom, black);
  }
  double acrossX(const PlotAxis &x, double at) const {
    return box.left + box.width * (at - x.low) / (x.high - x.low);
  }
  double acrossY(const PlotAxis &y, double at) const {
    return box.top + box.height * (1 - (at - y.low) / (y.high - y.low));
  }
  void marksX(const PlotAxis &axis) {
    const double bottom = box.top + box.height;
    each(axis, [&](double at, double length) {
      const double x = acrossX(axis, at);
      line(x, bottom, x, bottom - sign * length, black);
      line(x, box.top, x, box.top + sign * length, black);
    });
  }
  void marksY(const PlotAxis &axis) {
    const double right = box.left + box.width;
    each(axis, [&](double at, double length) {
      const double y = acrossY(axis, at);
      line(box.left, y, box.left + sign * length, y, black);
      line(right, y, right - sign * length, y, black);
    });
  }

private:
  template <class Use> static void each(const PlotAxis &axis, const Use &use) {
    for (const Tick &tick : axis.ticks.labelled)
      use(tick.at, longMark);
    for (const double at : axis.ticks.plain)
      use(at, shortMark);
  }
  Canvas &canvas;
  const Box &box;
  double sign;
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

void drawGrid(Canvas &canvas, const Box &box, const PlotAxis &x, const PlotAxis &y) {
  Drawing draw(canvas, box, Marks::Inside);
  for (const Tick &tick : x.ticks.labelled)
    draw.line(draw.acrossX(x, tick.at), box.top, draw.acrossX(x, tick.at), box.top + box.height,
              grey);
  for (const Tick &tick : y.ticks.labelled)
    draw.line(box.left, draw.acrossY(y, tick.at), box.left + box.width, draw.acrossY(y, tick.at),
              grey);
}

void drawFrame(Canvas &canvas, const Box &box, const PlotAxis &x, const PlotAxis &y, Marks marks) {
  Drawing draw(canvas, box, marks);
  draw.outline();
  draw.marksX(x);
  draw.marksY(y);
  canvas.colour(black);
  for (const Tick &tick : x.ticks.labelled) {
    const double half = canvas.textWidth(tick.text, numberSize) / 2; // the last may be a long one
    canvas.text(std::min(draw.acrossX(x, tick.at), canvas.width() - half - 4),
                box.top + box.height + 36, 0.5, tick.text, numberSize);
  }
  const double from = gap + (marks == Marks::Outside ? longMark : 0);
  for (const Tick &tick : y.ticks.labelled)
    canvas.text(box.left - from, draw.acrossY(y, tick.at), 1, tick.text, numberSize);
  const std::string xLabel = withPower(x.label, x.ticks.power),
                    yLabel = withPower(y.label, y.ticks.power);
  canvas.text(box.left + box.width / 2, box.top + box.height + 72, 0.5, xLabel,
              sizeFor(canvas, xLabel, labelSize, canvas.width() - 2 * edge));
  canvas.text(std::max(box.left - from - widest(canvas, y.ticks) - 38, edge + 4),
              box.top + box.height / 2, 0.5, yLabel,
              sizeFor(canvas, yLabel, labelSize, canvas.height() - 2 * edge), true);
}

void drawRightAxis(Canvas &canvas, const Box &box, const PlotAxis &y) {
  Drawing draw(canvas, box, Marks::Inside);
  draw.outline();
  draw.marksY(y);
  canvas.colour(black);
  const double right = box.left + box.width;
  for (const Tick &tick : y.ticks.labelled)
    canvas.text(right + gap, draw.acrossY(y, tick.at), 0, tick.text, numberSize);
  const std::string label = withPower(y.label, y.ticks.power);
  canvas.text(std::min(right + gap + widest(canvas, y.ticks) + 40, canvas.width() - edge - 10),
              box.top + box.height / 2, 0.5, label,
              sizeFor(canvas, label, labelSize, canvas.height() - 2 * edge), true);
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

void drawTitle(Canvas &canvas, const Box &box, const std::string &text) {
  const double room = canvas.width() - 2 * edge;
  const FittedTitle title =
      fitted(text, room, [&](const std::string &line) { return canvas.textWidth(line, 1); });
  canvas.colour(black);
  for (std::size_t i = 0; i < title.lines.size(); ++i) {
    const std::string &line = title.lines[i];
    const double half = canvas.textWidth(line, title.size) / 2;
    const double x = std::clamp(box.left + box.width / 2, edge + half,
                                std::max(edge + half, canvas.width() - edge - half));
    const double up = title.lines.size() == 1 ? 34 : 54 - 32 * static_cast<double>(i);
    canvas.text(x, box.top - up, 0.5, escaped(line), title.size);
  }
}

} // namespace facet::runtime
