// picture.cpp - the hierarchical roofline: FLOP/s over FLOPs a byte, a panel a class.
#include "runtime/files/text.h"
#include "runtime/output/figure.h"
#include "runtime/tuning/roofline/roofline.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <functional>
#include <map>
#include <numeric>
#include <ranges>

namespace facet::runtime {
namespace {

using namespace plot;

// Okabe and Ito: all eyes tell them apart.
constexpr std::array<Colour, 6> kernelColours{Colour{0, 114, 178}, Colour{213, 94, 0},
                                              Colour{0, 140, 105}, Colour{180, 80, 140},
                                              Colour{120, 90, 0},  Colour{86, 140, 200}};
constexpr double panelWidth = 830, panelHeight = 900, legendLine = 27;
constexpr double dotRadius = 6;

/// "1", "2", "3" for caches, "M" for memory.
std::string letter(const std::string &level) {
  return level == "memory" ? "M" : level.substr(level.size() - 1);
}

/// Ticks at 1, 2, 5, 10, .., since whole powers would be too few.
Ticks oneTwoFive(double low, double high) {
  Ticks ticks;
  for (double decade = std::floor(low); decade < high; ++decade)
    for (int digit = 1; digit < 10; ++digit) {
      const double at = decade + std::log10(digit);
      if (at < low + 0.01 || at > high - 0.01)
        continue;
      if (digit == 1 || digit == 2 || digit == 5)
        ticks.labelled.push_back({at, fmt::format("{:g}", digit * std::pow(10, decade))});
      else
        ticks.plain.push_back(at);
    }
  return ticks;
}

class Roofs {
public:
  Roofs(const Roofline &roofline, const std::string &klass, double left, double legend)
      : ceilings(roofline.ceilings), klass(klass), isDouble(klass == "f64") {
    panel.box = {left + 115, 120, panelWidth - 285, panelHeight - 230 - legend};
    panel.grid = true;
    panel.size = 0.85;
    for (const Reading &reading : roofline.readings)
      if (reading.key.klass == klass)
        readings.push_back(&reading);
    findRange();
  }

  Panel make() {
    roofs();
    flat();
    // Kernels come from the fastest down: letters are below their dots if those of the kernel above
    // are in the way.
    std::vector<std::size_t> order(readings.size());
    std::iota(order.begin(), order.end(), 0);
    std::ranges::sort(order, std::greater<>(), [&](std::size_t k) { return readings[k]->flops(); });
    double above = -1e9; // the kernel above, its letters included
    for (const std::size_t k : order) {
      const double y = panel.py(1e-9 * readings[k]->flops());
      const bool below = y - above < 30;
      points(*readings[k], kernelColours[k % kernelColours.size()], below);
      above = below ? y + 26 : y + 6;
    }
    return panel;
  }

  /// Adds a line for each kernel, below the panel.
  void legend(Panel &page) const {
    double y = panel.box.top + panel.box.height + 104;
    for (std::size_t k = 0; k < readings.size(); ++k, y += legendLine) {
      const Reading &r = *readings[k];
      const Bounds bounds = boundsOf(r, ceilings);
      addKey(page, panel.box.left - 60, y, kernelColours[k % kernelColours.size()],
             fmt::format("{} {} ({}): {:.3g}e9 TQP/s, {:.0f}% of {}", r.key.kernel, r.key.algorithm,
                         r.operations.flopsAQ, 1e-9 * r.rate, 100 * bounds.reached,
                         bounds.tightest.name == "multiply-adds" ? "FMA" : bounds.tightest.name),
             0.74);
    }
  }

private:
  // GFLOP/s and GB/s, as the axes have them.
  double peak() const { return 1e-9 * ceilings.flops[isDouble]; }
  double lowest() const { return std::pow(10, panel.y.low); }
  double right() const { return panel.box.left + panel.box.width; }

  /// Sets the range, from the ridge of the first cache and more to the left, to the last point.
  void findRange() {
    double left = 1e9, right = 10, low = 1e300;
    for (const Bandwidth &level : ceilings.levels)
      left = std::min(left, peak() / (1e-9 * level.speed));
    for (const Reading *r : readings) {
      low = std::min(low, 1e-9 * r->flops());
      for (std::size_t k = 0; k < r->traffic.bytes.size(); ++k) {
        left = std::min(left, r->intensity(k));
        right = std::max(right, r->intensity(k));
      }
    }
    const double x0 = std::floor(std::log10(left) - 0.45);
    // Far beyond the slowest level's ridge nothing is to be seen: such discs lie at the edge.
    const double ridge = std::log10(peak() / (1e-9 * ceilings.levels.back().speed));
    const double x1 = std::min(std::ceil(std::log10(right) + 0.1), std::ceil(ridge + 1.5));
    panel.x = {"FLOPs a byte", x0, std::max(x1, x0 + 3), true};
    panel.y = {"GFLOP/s", 0, std::log10(peak()) + 0.15, true};
    panel.y.low = std::min(std::log10(low) - 0.3, panel.y.high - 1.15);
    panel.y.marks = oneTwoFive(panel.y.low, panel.y.high);
    panel.add(Text{std::pow(10, (panel.x.low + panel.x.high) / 2), std::pow(10, panel.y.high),
                   klass, 1.05, 0.5, black, 0, -22});
  }

  /// Adds a diagonal for each level, from the edge to the peak, with its name along it: on its
  /// left, or on its right if the line before is too near.
  void roofs() {
    const double edge = std::pow(10, panel.x.low);
    const double run = panel.px(10) - panel.px(1), rise = panel.py(1) - panel.py(10),
                 length = std::hypot(run, rise);
    double before = -1e9; // where the line before crosses the floor
    for (const Bandwidth &level : ceilings.levels) {
      const double speed = 1e-9 * level.speed, ridge = peak() / speed,
                   from = std::max(edge, lowest() / speed);
      panel.add(Line{{from, ridge}, {from * speed, peak()}, grey, 1.6});
      const double foot = panel.px(lowest() / speed), side = foot - before < 30 ? -1 : 1;
      before = foot;
      const double at = from * std::pow(ridge / from, 0.35);
      const double aside = std::max(0.0, panel.box.left + 42 - panel.px(at)); // inside the panel
      panel.add(Text{at, at * speed, fmt::format("{} {:.3g} GB/s", level.name, speed), 0.72, 0.5,
                     grey, aside - side * 11 * rise / length,
                     -aside * rise / run - side * 11 * run / length, run, rise});
    }
  }

  /// Adds horizontal ceilings, named on the right: multiply-adds; half without them; sines.
  void flat() {
    struct Ceiling {
      double flops;
      std::string name;
      Colour colour;
    };
    std::vector<Ceiling> lines{
        {peak(), ceilings.fused ? "FMA" : "mul, add", black},
        {peak() / 2, ceilings.fused ? "no FMA" : "one of them", grey},
        {1e-9 * ceilings.sincos[isDouble] * ceilings.sincosFlops[isDouble], "sincos", grey}};
    std::ranges::sort(lines, std::greater<>(), &Ceiling::flops);
    const double end = std::pow(10, panel.x.high);
    double last = -1e9; // names keep apart
    for (const Ceiling &line : lines) {
      panel.add(Line{{line.flops / (1e-9 * ceilings.levels.front().speed), end},
                     {line.flops, line.flops},
                     line.colour,
                     line.flops == peak() ? 2.4 : 1.2});
      const double y = panel.py(line.flops);
      last = std::max(y, last + 21);
      panel.add(Text{end, line.flops, fmt::format("{} {:.3g}", line.name, line.flops), 0.74, 0,
                     line.colour, 9, last - y});
    }
  }

  /// Adds a dot for each level at its intensity, with the level's letter above it, or below it if
  /// the kernel above is near.
  void points(const Reading &r, Colour colour, bool below) {
    struct Group {
      double x;
      std::string letters;
    };
    std::vector<Group> groups; // dots too near for a letter each
    const double flops = 1e-9 * r.flops(), most = right() - 2 * dotRadius;
    std::vector<double> dots; // pixels
    for (std::size_t k = 0; k < r.traffic.bytes.size(); ++k) {
      const double x = std::min(panel.px(r.intensity(k)), most);
      dots.push_back(x);
      if (!groups.empty() &&
          x - groups.back().x < 13 * static_cast<double>(groups.back().letters.size())) {
        groups.back().letters += letter(ceilings.levels[k].name);
        groups.back().x += 0.5 * (x - groups.back().x);
      } else {
        groups.push_back({x, letter(ceilings.levels[k].name)});
      }
    }
    const double decades = panel.x.high - panel.x.low;
    const auto valueAt = [&](double x) { // of a pixel
      return std::pow(10, panel.x.low + (x - panel.box.left) / panel.box.width * decades);
    };
    panel.add(Line{{r.intensity(0), valueAt(dots.back())}, {flops, flops}, colour, 1.8});
    for (const double x : dots)
      for (const auto &[radius, of] : {std::pair{dotRadius + 1.5, white}, {dotRadius, colour}})
        panel.add(Disc{valueAt(x), flops, radius, of});
    for (const Group &group : groups) {
      const double wide = 6.5 * static_cast<double>(group.letters.size());
      const double x = std::min(group.x, right() - wide - 3), dy = below ? 18 : -17;
      const double behind =
          flops * std::pow(10, -dy / panel.box.height * (panel.y.high - panel.y.low));
      for (double at = x - wide + 6.5; at < x + wide; at += 13) // over the lines behind it
        panel.add(Disc{valueAt(at), behind, 8, white});
      panel.add(Text{valueAt(x), flops, group.letters, 0.7, 0.5, colour, 0, dy});
    }
  }

  const Ceilings &ceilings;
  std::string klass;
  bool isDouble;
  std::vector<const Reading *> readings;
  Panel panel;
};

} // namespace

void writeRoofline(const Roofline &roofline, const std::string &path) {
  std::vector<std::string> classes;
  std::map<std::string, double> count;
  for (const Reading &r : roofline.readings)
    if (++count[r.key.klass] == 1)
      classes.push_back(r.key.klass);
  const double most = std::ranges::max(count | std::views::values); // kernels of a class
  const Ceilings &c = roofline.ceilings;
  Figure figure{.width = static_cast<int>(panelWidth * static_cast<double>(classes.size())),
                .height = static_cast<int>(panelHeight)};
  std::string levels;
  for (const Bandwidth &level : c.levels)
    levels += fmt::format("{}{} {}", levels.empty() ? "" : ", ", letter(level.name), level.name);
  Panel page = figure.page();
  addHeading(
      page, 30,
      fmt::format("roofline, {}, {}, {}", c.target, plural(c.threads, "thread"), roofline.date),
      1.1);
  addHeading(page, 62,
             "dots: FLOPs a byte from " + levels + "; at the right edge: more than the axis shows",
             0.78);
  for (std::size_t k = 0; k < classes.size(); ++k) {
    Roofs roofs(roofline, classes[k], panelWidth * static_cast<double>(k), legendLine * most);
    figure.panels.push_back(roofs.make());
    roofs.legend(page);
  }
  figure.panels.push_back(page);
  draw(figure, path);
}

} // namespace facet::runtime
