// heat_map.cpp - panels of cells with the path the steps took, drawn on one page.
#include "runtime/tuning/picture/heat_map.h"
#include "runtime/output/canvas.h"
#include "runtime/tuning/picture/cells.h"
#include <algorithm>
#include <cmath>
#include <facet/runtime/error.h>
#include <fmt/format.h>

namespace facet::runtime {
namespace {

constexpr Colour black{20, 20, 20}, white{255, 255, 255}, paper{246, 246, 246},
    stripe{205, 205, 205}, path{214, 39, 40};

/// PLplot's text grows with the page: fewer panels are larger, so that their text is alike.
struct Page {
  int columns, rows;
  double panelWidth, panelHeight;
  double width() const { return 20 + columns * panelWidth + 140; }
  double height() const { return 20 + rows * panelHeight + 56; }
};

Page pageOf(std::size_t panels) {
  const int n = std::max(1, static_cast<int>(panels));
  const int columns = n <= 2 ? n : n <= 4 ? 2 : n <= 6 ? 3 : 4;
  const double panelWidth = columns == 1 ? 860 : columns == 2 ? 620 : columns == 3 ? 480 : 370;
  const int rows = (n + columns - 1) / columns;
  return {columns, rows, panelWidth, rows == 1 ? std::min(640.0, 0.93 * panelWidth) : 345};
}

/// The colours run from the worst that is worth telling apart to the best of a panel.
struct Shade {
  double low;
  Colour operator()(double part) const { return colourAt((part - low) / (1 - low)); }
};

Shade shadeOf(const std::vector<Cells> &panels) {
  double least = 1;
  for (const Cells &c : panels)
    for (const Cell &cell : c.cells)
      if (cell.best > 0)
        least = std::min(least, cell.best / c.best);
  return {std::clamp(std::floor(least * 10) / 10, 0.4, 0.9)};
}

Raster rasterOf(const Cells &c, const Box &box, const Shade &shade, int fineness) {
  const int width = static_cast<int>(box.width) * fineness,
            height = static_cast<int>(box.height) * fineness;
  Raster raster(width, height);
  const auto nx = static_cast<int>(c.xs.size()), ny = static_cast<int>(c.ys.size());
  for (int j = 0; j < height; ++j)
    for (int i = 0; i < width; ++i) {
      const int ix = i * nx / width, iy = j * ny / height;
      const Cell &cell = c.at(static_cast<std::size_t>(ix), static_cast<std::size_t>(ny - 1 - iy));
      const bool edge = (i + fineness) * nx / width != ix || (j + fineness) * ny / height != iy;
      const bool hatched = (i + j) / fineness % 9 < 2;
      raster.at(i, j) = edge            ? white
                        : cell.best > 0 ? shade(cell.best / c.best)
                        : cell.skipped  ? (hatched ? stripe : white)
                                        : paper;
    }
  return raster;
}

struct Spot {
  double x, y;
};
/// The path goes through the lower third of cells, so that their figures, in the upper one, are
/// seen.
Spot centre(const Cells &c, const Box &box, const schedules::Knobs &knobs) {
  const auto [ix, iy] = c.place(knobs);
  return {box.left + box.width * (static_cast<double>(ix) + 0.5) / static_cast<double>(c.xs.size()),
          box.top + box.height *
                        (1 - (static_cast<double>(iy) + 0.3) / static_cast<double>(c.ys.size()))};
}

Colour colourOf(const Cells &c, const Cell &cell, const Shade &shade) {
  return cell.best > 0 ? shade(cell.best / c.best) : paper;
}

void figures(Canvas &canvas, const Cells &c, const Box &box, const Shade &shade) {
  constexpr double largest = 0.48, least = 0.25; // of what can be read
  const double width = box.width / static_cast<double>(c.xs.size()),
               height = box.height / static_cast<double>(c.ys.size());
  if (height < 28)
    return;
  for (std::size_t iy = 0; iy < c.ys.size(); ++iy)
    for (std::size_t ix = 0; ix < c.xs.size(); ++ix)
      if (const double best = c.at(ix, iy).best; best > 0) {
        const Colour under = shade(best / c.best);
        const std::string text = fmt::format("{:.{}g}", best / 1e9, width < 32 ? 2 : 3);
        const double size =
            std::min(largest, 0.9 * width / std::max(1.0, canvas.textWidth(text, 1)));
        if (size < least)
          continue;
        canvas.colour(0.3 * under.r + 0.6 * under.g + 0.1 * under.b > 130 ? black : white);
        canvas.text(box.left + width * (static_cast<double>(ix) + 0.5),
                    box.top + box.height - height * (static_cast<double>(iy) + 0.75), 0.5, text,
                    size);
      }
}

/// A ring with a white rim; inside, what is told by it.
void ring(Canvas &canvas, const Spot &at, double radius, Colour inner) {
  canvas.disc(at.x, at.y, 1.2 * radius, white);
  canvas.disc(at.x, at.y, radius, path);
  canvas.disc(at.x, at.y, 0.6 * radius, inner);
}

void drawPath(Canvas &canvas, const Cells &c, const Box &box, const TuneResult &r,
              const Shade &shade) {
  std::vector<schedules::Knobs> steps = r.path;
  if (steps.empty())
    steps = {r.initial};
  if (!(steps.back() == r.tuned.knobs))
    steps.push_back(r.tuned.knobs);
  std::vector<Spot> spots;
  std::vector<double> x, y;
  for (const schedules::Knobs &knobs : steps) {
    spots.push_back(centre(c, box, knobs));
    x.push_back(spots.back().x);
    y.push_back(canvas.height() - spots.back().y);
  }
  canvas.window({0, 0, static_cast<double>(canvas.width()), static_cast<double>(canvas.height())},
                0, canvas.width(), 0, canvas.height());
  canvas.line(x, y, white, 6);
  canvas.line(x, y, path, 2.5);
  const double radius = std::min({7.5, 0.3 * box.width / static_cast<double>(c.xs.size()),
                                  0.2 * box.height / static_cast<double>(c.ys.size())});
  for (std::size_t k = 1; k + 1 < steps.size(); ++k)
    canvas.disc(spots[k].x, spots[k].y, 0.5 * radius, path);
  ring(canvas, spots.front(), radius, white);
  // The cell is seen through the ring of what was tuned.
  const auto [ix, iy] = c.place(steps.back());
  ring(canvas, spots.back(), radius, colourOf(c, c.at(ix, iy), shade));
}

void ticks(Canvas &canvas, const Cells &c, const Box &box) {
  canvas.colour(black);
  for (std::size_t i = 0; i < c.xs.size(); ++i)
    canvas.text(box.left +
                    box.width * (static_cast<double>(i) + 0.5) / static_cast<double>(c.xs.size()),
                box.top + box.height + 14, 0.5, std::to_string(c.xs[i]), 0.6);
  for (std::size_t i = 0; i < c.ys.size(); ++i)
    canvas.text(box.left - 8,
                box.top + box.height * (1 - (static_cast<double>(i) + 0.5) /
                                                static_cast<double>(c.ys.size())),
                1, std::to_string(c.ys[i]), 0.6);
  canvas.text(box.left + box.width / 2, box.top + box.height + 36, 0.5, std::string(c.x->name),
              0.65);
  canvas.text(box.left - 70, box.top + box.height / 2, 0.5, std::string(c.y->name), 0.65, true);
}

void panel(Canvas &canvas, const Cells &c, const TuneResult &r, const Box &box,
           const Shade &shade) {
  canvas.image(box, rasterOf(c, box, shade, canvas.fineness()));
  canvas.window(box, 0, 1, 0, 1);
  canvas.colour(black);
  canvas.frame("bc", 0, 0, "bc", 0, 0);
  drawPath(canvas, c, box, r, shade);
  figures(canvas, c, box, shade);
  ticks(canvas, c, box);
  const TunedKey &k = r.tuned.key;
  canvas.text(box.left, box.top - 36, 0,
              escaped(fmt::format("{}, {}, {}", k.kernel, k.algorithm, k.klass)), 0.75);
  canvas.text(
      box.left, box.top - 14, 0,
      fmt::format("{:.3g} to {:.3g}, 1e9 TQP/s", r.tuned.before / 1e9, r.tuned.throughput / 1e9),
      0.55);
}

void legend(Canvas &canvas, const Page &page, const Shade &shade) {
  const double right = 20 + page.columns * page.panelWidth;
  const Box bar{right + 14, 76, 22, page.rows * page.panelHeight - 120};
  const int steps = static_cast<int>(bar.height) * canvas.fineness();
  Raster raster(1, steps);
  for (int i = 0; i < steps; ++i)
    raster.at(0, steps - 1 - i) = colourAt((i + 0.5) / steps);
  canvas.image(bar, raster);
  canvas.window(bar, 0, 1, shade.low, 1);
  canvas.colour(black);
  canvas.frame("bc", 0, 0, "bct", 0.1, 1);
  for (int tenth = static_cast<int>(std::lround(shade.low * 10)); tenth <= 10; ++tenth)
    canvas.text(bar.left + bar.width + 8,
                bar.top + bar.height * (1 - (tenth / 10.0 - shade.low) / (1 - shade.low)), 0,
                fmt::format("{}%", 10 * tenth), 0.6);
  canvas.text(bar.left + bar.width + 78, bar.top + bar.height / 2, 0.5,
              "best of the cell, of the panel's best", 0.65, true);
  const double y = page.height() - 30;
  double x = 70;
  const auto say = [&](const std::string &text, double width) {
    canvas.colour(black);
    canvas.text(x + 14, y, 0, text, 0.6);
    x += width;
  };
  ring(canvas, {x, y}, 7.5, white);
  say("default", 120);
  ring(canvas, {x, y}, 7.5, shade(1));
  say("tuned", 110);
  const auto square = [&](const Cell &cell) {
    Cells one;
    one.xs = one.ys = {0};
    one.cells = {cell};
    one.best = 1;
    const Box box{x - 9, y - 9, 18, 18};
    canvas.image(box, rasterOf(one, box, shade, canvas.fineness()));
    canvas.window(box, 0, 1, 0, 1);
    canvas.colour(black);
    canvas.frame("bc", 0, 0, "bc", 0, 0);
  };
  square({0, true});
  say("skipped by the models", 270);
  square({0, false});
  say("not tried", 130);
  canvas.colour(black);
  canvas.text(x, y, 0, "figures: 1e9 TQP/s of one thread", 0.6);
}

} // namespace

void writeHeatMap(const std::vector<TuneResult> &results, const std::string &file) {
  if (results.empty())
    throw Error(file, "there is nothing to draw: no variant was tuned");
  std::vector<Cells> panels;
  for (const TuneResult &r : results)
    panels.push_back(cellsOf(r));
  const Page page = pageOf(results.size());
  const Shade shade = shadeOf(panels);
  Canvas canvas(file, static_cast<int>(page.width()), static_cast<int>(page.height()));
  for (std::size_t i = 0; i < panels.size(); ++i) {
    const auto column = static_cast<double>(i % static_cast<std::size_t>(page.columns)),
               row = static_cast<double>(i / static_cast<std::size_t>(page.columns));
    panel(canvas, panels[i], results[i],
          {20 + column * page.panelWidth + 92, 20 + row * page.panelHeight + 56,
           page.panelWidth - 110, page.panelHeight - 120},
          shade);
  }
  legend(canvas, page, shade);
  canvas.commit();
}

} // namespace facet::runtime
