// heat_map.cpp - trials gathered over the two knobs that tell most, and panels of them with the
// path the steps took, on one page.
#include "runtime/engine/tune/tuner.h"
#include "runtime/picture/figure.h"
#include <algorithm>
#include <cmath>
#include <facet/runtime/error.h>
#include <fmt/format.h>
#include <map>
#include <ranges>
#include <set>

namespace facet::runtime {
namespace {

using schedules::KnobInfo;

/// How much of the best throughput is lost at the worst value of a knob, the others at their best.
double effectOf(const KnobInfo &knob, const std::vector<Trial> &trials) {
  std::map<int, double> best;
  for (const Trial &t : trials)
    if (t.throughput > 0)
      best[t.knobs.*knob.member] = std::max(best[t.knobs.*knob.member], t.throughput);
  if (best.empty())
    return 0;
  const auto [least, most] = std::ranges::minmax(best | std::views::values);
  return 1 - least / most;
}

Cells gather(const TuneResult &r, const KnobInfo &x, const KnobInfo &y) {
  std::vector<schedules::Knobs> shown = r.path;
  for (const Trial &t : r.trials)
    shown.push_back(t.knobs);
  std::set<int> xs, ys;
  for (const schedules::Knobs &k : shown)
    xs.insert(k.*x.member), ys.insert(k.*y.member);
  Cells c;
  c.x = &x, c.y = &y;
  c.xs.assign(xs.begin(), xs.end());
  c.ys.assign(ys.begin(), ys.end());
  c.cells.resize(c.xs.size() * c.ys.size());
  for (const Trial &t : r.trials) {
    const auto [ix, iy] = c.place(t.knobs);
    Cells::Cell &cell = c.cells[iy * c.xs.size() + ix];
    cell.best = std::max(cell.best, t.throughput);
    cell.skipped = cell.skipped || !t.skipped.empty();
    c.best = std::max(c.best, t.throughput);
  }
  return c;
}

} // namespace

std::pair<std::size_t, std::size_t> Cells::place(const schedules::Knobs &knobs) const {
  const auto index = [](const std::vector<int> &values, int value) {
    return static_cast<std::size_t>(std::ranges::lower_bound(values, value) - values.begin());
  };
  return {index(xs, knobs.*x->member), index(ys, knobs.*y->member)};
}

Cells cellsOf(const TuneResult &result) {
  const std::vector<KnobInfo> &table = schedules::knobTable();
  Cells best = gather(result, table[0], table[1]); // if nothing varies: the register tile
  double score = 0;
  for (std::size_t i = 0; i < table.size(); ++i)
    for (std::size_t j = i + 1; j < table.size(); ++j) {
      const double a = effectOf(table[i], result.trials), b = effectOf(table[j], result.trials);
      if (a <= 0 || b <= 0)
        continue;
      Cells cells = gather(result, table[i], table[j]);
      const auto filled = static_cast<double>(
          std::ranges::count_if(cells.cells, [](const Cells::Cell &one) { return one.best > 0; }));
      // Two values of a knob make no map: such a knob is taken if there is nothing better.
      const double rich = cells.xs.size() > 2 && cells.ys.size() > 2 ? 10 : 1;
      if (const double own = rich * filled * filled * (std::sqrt(a * b) + 0.1); own > score) {
        score = own;
        best = std::move(cells);
      }
    }
  return best;
}

namespace {

using namespace plot;

constexpr Colour paper{246, 246, 246}, stripe{205, 205, 205}, pathColour{214, 39, 40};

/// Text grows with the page: fewer panels are larger, so that their text is alike.
struct PageSize {
  int columns, rows;
  double panelWidth, panelHeight;
  double width() const { return 20 + columns * panelWidth + 150; }
  double height() const { return 20 + rows * panelHeight + 56; }
};

PageSize pageOf(std::size_t panels) {
  const int n = std::max(1, static_cast<int>(panels));
  const int columns = n == 1 ? 1 : 2;
  const double panelWidth = columns == 1 ? 860 : 560;
  const int rows = (n + columns - 1) / columns;
  return {columns, rows, panelWidth, rows == 1 ? std::min(640.0, 0.93 * panelWidth) : 370};
}

constexpr double sizeAround = 0.6; // of text around a panel

/// The colours run from the worst that is worth telling apart to the best of a panel.
Scale shadeOf(const std::vector<Cells> &panels) {
  double least = 1;
  for (const Cells &c : panels)
    for (const Cells::Cell &cell : c.cells)
      if (cell.best > 0)
        least = std::min(least, cell.best / c.best);
  Scale shade{"best of the cell, of the panel's best",
              std::clamp(std::floor(least * 10) / 10, 0.4, 0.9), 1};
  shade.marks.emplace();
  for (auto tenth = std::lround(shade.low * 10); tenth <= 10; ++tenth)
    shade.marks->labelled.push_back(
        {static_cast<double>(tenth) / 10, fmt::format("{}%", 10 * tenth)});
  return shade;
}

/// An axis with one place for each value of a knob.
Scale axisOf(const schedules::KnobInfo &knob, const std::vector<int> &values) {
  Scale axis{std::string(knob.name), -0.5, static_cast<double>(values.size()) - 0.5};
  axis.marks.emplace();
  for (std::size_t i = 0; i < values.size(); ++i)
    axis.marks->labelled.push_back({static_cast<double>(i), std::to_string(values[i])});
  return axis;
}

class Map {
public:
  Map(const Figure &figure, const Cells &cells, const TuneResult &result, const Scale &shade,
      const Rect &box)
      : c(cells), r(result), shade(shade), figure(figure), font(figure.pixelsOfText()),
        width(box.width / static_cast<double>(c.xs.size())),
        height(box.height / static_cast<double>(c.ys.size())) {
    panel.box = box;
    panel.x = axisOf(*c.x, c.xs);
    panel.y = axisOf(*c.y, c.ys);
    panel.size = sizeAround;
    panel.frame = plot::Frame::Plain;
  }

  Panel make() {
    eachCell([&](double x, double y, const Cells::Cell &cell) { addCell(x, y, cell); });
    addPath();
    eachCell([&](double x, double y, const Cells::Cell &cell) { addFigure(x, y, cell); });
    const TunedKey &k = r.tuned.key;
    const auto above = [&](const std::string &text, double size, double dy) {
      const double room = panel.box.width + 80;
      panel.add(Text{panel.x.low, panel.y.high, cutToFit(text, font * size, room), size, 0, black,
                     0, -dy});
    };
    above(fmt::format("{}, {}, {}", k.kernel, k.algorithm, k.klass), 0.7, 1.35 * font);
    above(
        fmt::format("{:.3g} to {:.3g}·10^9 TQP/s", r.tuned.before / 1e9, r.tuned.throughput / 1e9),
        0.55, 0.5 * font);
    return std::move(panel);
  }

  /// A ring with a white rim and something inside.
  static void ring(Panel &panel, double x, double y, double radius, Colour inner) {
    panel.add(Disc{x, y, 1.2 * radius, white});
    panel.add(Disc{x, y, radius, pathColour});
    panel.add(Disc{x, y, 0.6 * radius, inner});
  }

private:
  template <class Use> void eachCell(const Use &use) const {
    for (std::size_t iy = 0; iy < c.ys.size(); ++iy)
      for (std::size_t ix = 0; ix < c.xs.size(); ++ix)
        use(static_cast<double>(ix), static_cast<double>(iy), c.at(ix, iy));
  }
  Colour colourOf(const Cells::Cell &cell) const {
    return cell.best > 0 ? shade.colour(cell.best / c.best) : paper;
  }
  void addCell(double x, double y, const Cells::Cell &cell) {
    const double right = 0.5 - 1 / width, low = 0.5 - 1 / height; // a white line between cells
    const bool striped = cell.best <= 0 && cell.skipped;
    panel.add(
        Bar{x - 0.5, x + right, y - low, y + 0.5, striped ? stripe : colourOf(cell), striped});
  }
  /// Writes the figure in the upper part of its cell: the path goes through the lower.
  void addFigure(double x, double y, const Cells::Cell &cell) {
    const double least = figure.leastPixels() / font, largest = std::max(0.8 * panel.size, least);
    if (0.5 * height < font * least || cell.best <= 0)
      return;
    std::string text = fmt::format("{:.3g}", cell.best / 1e9);
    if (textWidth(text, font * least) > 0.9 * width)
      text = fmt::format("{:.2g}", cell.best / 1e9);
    const double size = std::min(largest, 0.9 * width / std::max(1.0, textWidth(text, font)));
    const Colour under = colourOf(cell);
    const bool light = 0.3 * under.r + 0.6 * under.g + 0.1 * under.b > 130;
    if (size >= least)
      panel.add(Text{x, y + 0.25, text, size, 0.5, light ? black : white});
  }
  void addPath() {
    std::vector<schedules::Knobs> steps = r.path;
    steps.insert(steps.begin(), r.initial);
    steps.push_back(r.tuned.knobs);
    Line line{{}, {}, white, 6};
    for (const schedules::Knobs &knobs : steps) {
      const auto [ix, iy] = c.place(knobs);
      line.x.push_back(static_cast<double>(ix));
      line.y.push_back(static_cast<double>(iy) - 0.2);
    }
    panel.add(line);
    line.colour = pathColour, line.width = 2.5;
    panel.add(line);
    const double radius = std::min({7.5, 0.3 * width, 0.2 * height});
    for (std::size_t k = 1; k + 1 < steps.size(); ++k)
      panel.add(Disc{line.x[k], line.y[k], 0.5 * radius, pathColour});
    ring(panel, line.x.front(), line.y.front(), radius, white);
    // The cell is seen through the ring of what was tuned.
    const auto [ix, iy] = c.place(steps.back());
    ring(panel, line.x.back(), line.y.back(), radius, colourOf(c.at(ix, iy)));
  }

  const Cells &c;
  const TuneResult &r;
  const Scale &shade;
  const Figure &figure;
  double font, width, height; // of a cell, pixels
  Panel panel;
};

/// Says what the marks are, below the panels.
Panel legend(const Figure &figure, const Scale &shade) {
  Panel page = figure.page();
  const double y = figure.height - 30;
  double x = 70;
  const auto say = [&](const char *what) {
    const Text text{x + 16, y, what, sizeAround, 0};
    page.add(text);
    x = letteringOf(figure, page, text).corners[1][0] + 30;
  };
  Map::ring(page, x, y, 7.5, white);
  say("default");
  Map::ring(page, x, y, 7.5, shade.colour(1));
  say("tuned");
  const auto square = [&](Colour colour, bool striped) {
    page.add(Bar{x - 9, x + 9, y - 9, y + 9, black});
    page.add(Bar{x - 8, x + 8, y - 8, y + 8, colour, striped});
  };
  square(stripe, true);
  say("left out");
  square(paper, false);
  say("not tried");
  x -= 16;
  say("figures: 10^9 TQP/s of one thread, or of a device");
  return page;
}

} // namespace

plot::Figure heatMapFigure(const std::vector<TuneResult> &results) {
  std::vector<Cells> panels;
  for (const TuneResult &r : results)
    panels.push_back(cellsOf(r));
  const PageSize size = pageOf(results.size());
  const Scale shade = shadeOf(panels);
  Figure figure{.width = static_cast<int>(size.width()), .height = static_cast<int>(size.height())};
  figure.font = std::min(26.0, figure.pixelsOfText()); // panels do not grow with the page
  for (std::size_t i = 0; i < panels.size(); ++i) {
    const auto column = static_cast<double>(i % static_cast<std::size_t>(size.columns)),
               row = static_cast<double>(i / static_cast<std::size_t>(size.columns));
    const Rect box{20 + column * size.panelWidth + 92, 20 + row * size.panelHeight + 56,
                   size.panelWidth - 110, size.panelHeight - 120};
    figure.panels.push_back(Map(figure, panels[i], results[i], shade, box).make());
  }
  const double right = 20 + size.columns * size.panelWidth - 14;
  figure.panels.push_back({.box = {right, 76, 0, size.rows * size.panelHeight - 120},
                           .frame = plot::Frame::Without,
                           .size = sizeAround,
                           .colours = shade});
  figure.panels.push_back(legend(figure, shade));
  return figure;
}

void writeHeatMap(const std::vector<TuneResult> &results, const std::string &file) {
  if (results.empty())
    throw Error(file, "there is nothing to draw: no variant was tuned");
  draw(heatMapFigure(results), file);
}

} // namespace facet::runtime
