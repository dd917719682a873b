// picture.cpp - the hierarchical roofline: FLOP/s over FLOPs a byte, a panel a class.
#include "runtime/output/canvas.h"
#include "runtime/tuning/roofline/remarks.h"
#include <algorithm>
#include <cmath>
#include <facet/runtime/error.h>
#include <fmt/format.h>
#include <numeric>

namespace facet::runtime {
namespace {

constexpr Colour black{20, 20, 20}, grey{110, 110, 110}, faint{228, 228, 228}, white{255, 255, 255};
// Okabe and Ito: told apart by all eyes.
constexpr std::array<Colour, 6> kernelColours{Colour{0, 114, 178}, Colour{213, 94, 0},
                                              Colour{0, 140, 105}, Colour{180, 80, 140},
                                              Colour{120, 90, 0},  Colour{86, 140, 200}};
constexpr double panelWidth = 830, panelHeight = 900, legendLine = 27;
constexpr double dotRadius = 6;

/// "1", "2", "3" of caches, "M" of memory.
std::string letter(const std::string &level) {
  return level == "memory" ? "M" : level.substr(level.size() - 1);
}

class Panel {
public:
  Panel(Canvas &canvas, const Roofline &roofline, const std::string &klass, double left,
        double legend)
      : canvas(canvas), ceilings(roofline.ceilings), klass(klass), isDouble(klass == "f64") {
    box = {left + 115, 120, panelWidth - 285, panelHeight - 230 - legend};
    for (const Reading &reading : roofline.readings)
      if (reading.klass == klass)
        readings.push_back(&reading);
    findRange();
  }

  void draw() {
    frame();
    roofs();
    flat();
    // From the fastest down: letters below their dots where those of the kernel above are in the
    // way.
    std::vector<std::size_t> order(readings.size());
    std::iota(order.begin(), order.end(), 0);
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return readings[a]->flops() > readings[b]->flops();
    });
    double above = -1e9; // the kernel above, its letters included
    for (const std::size_t k : order) {
      const double y = py(readings[k]->flops());
      const bool below = y - above < 30;
      points(*readings[k], kernelColours[k % kernelColours.size()], below);
      above = below ? y + 26 : y + 6;
    }
    legend();
  }

private:
  Canvas &canvas;
  const Ceilings &ceilings;
  std::string klass;
  bool isDouble;
  Box box{};
  std::vector<const Reading *> readings;
  double x0 = -2, x1 = 4, y0 = 9, y1 = 12; // powers of ten

  double peak() const { return ceilings.flops[isDouble]; }
  double px(double intensity) const {
    return box.left + box.width * (std::log10(intensity) - x0) / (x1 - x0);
  }
  double py(double flops) const {
    return box.top + box.height * (y1 - std::log10(flops)) / (y1 - y0);
  }

  /// From the ridge of the first cache, a decade and more to the left, to the last point.
  void findRange() {
    double left = 1e9, right = 10, low = 1e300;
    for (const Bandwidth &level : ceilings.levels)
      left = std::min(left, peak() / level.speed);
    for (const Reading *r : readings) {
      low = std::min(low, r->flops());
      for (std::size_t k = 0; k < r->traffic.bytes.size(); ++k) {
        left = std::min(left, r->intensity(k));
        right = std::max(right, r->intensity(k));
      }
    }
    x0 = std::floor(std::log10(left) - 0.45);
    // Far beyond the slowest level's ridge nothing is to be seen: such discs lie at the edge.
    const double ridge = std::log10(peak() / ceilings.levels.back().speed);
    x1 = std::min(std::ceil(std::log10(right) + 0.1), std::ceil(ridge + 1.5));
    x1 = std::max(x1, x0 + 3);
    y1 = std::log10(peak()) + 0.15;
    y0 = std::min(std::log10(low) - 0.3, y1 - 1.15);
  }

  void window() const { canvas.window(box, x0, x1, y0 - 9, y1 - 9); }

  void frame() {
    window();
    canvas.colour(faint);
    canvas.frame("g", 1, 0, "g", 1, 0);
    canvas.colour(black);
    canvas.frame("bclnst", 1, 9, "bclst", 1, 9);
    for (double decade = std::floor(y0); decade < y1; ++decade) // 1, 2, 5, 10, ..
      for (const double digit : {1.0, 2.0, 5.0}) {
        const double value = digit * std::pow(10, decade);
        if (std::log10(value) > y0 + 0.01 && std::log10(value) < y1 - 0.01)
          canvas.text(box.left - 12, py(value), 1, fmt::format("{:g}", 1e-9 * value), 0.9);
      }
    canvas.text(box.left + box.width / 2, box.top + box.height + 62, 0.5, "FLOPs a byte", 0.95);
    canvas.text(box.left - 94, box.top + box.height / 2, 0.5, "GFLOP/s", 0.95, true);
    canvas.colour(black);
    canvas.text(box.left + box.width / 2, box.top - 22, 0.5, klass, 1.05);
  }

  void segment(double xa, double ya, double xb, double yb, Colour colour, double width) {
    window();
    canvas.line({std::log10(xa), std::log10(xb)}, {std::log10(ya) - 9, std::log10(yb) - 9}, colour,
                width);
  }

  /// A diagonal a level, from the edge to the peak, its name along it: on its left, or on its right
  /// where the line before is too near.
  void roofs() {
    const double edge = std::pow(10, x0), floor = std::pow(10, y0);
    const double run = px(10) - px(1), rise = py(1) - py(10), length = std::hypot(run, rise);
    double before = -1e9; // where the line before crosses the floor
    for (const Bandwidth &level : ceilings.levels) {
      const double from = std::max(edge, floor / level.speed), ridge = peak() / level.speed;
      segment(from, from * level.speed, ridge, peak(), grey, 1.6);
      const double foot = px(floor / level.speed), side = foot - before < 30 ? -1 : 1;
      before = foot;
      const double at = from * std::pow(ridge / from, 0.35);
      const double x = std::max(px(at), box.left + 42);
      const double y = py(at * level.speed) - (x - px(at)) * rise / run;
      canvas.colour(grey);
      canvas.slanted(x - side * 11 * rise / length, y - side * 11 * run / length, run, rise, 0.5,
                     fmt::format("{} {:.3g} GB/s", level.name, 1e-9 * level.speed), 0.72);
    }
  }

  /// Horizontal ceilings, named on the right: multiply-adds; without them, half; sines.
  void flat() {
    struct Line {
      double flops;
      std::string name;
      Colour colour;
    };
    std::vector<Line> lines{
        {peak(), ceilings.fused ? "FMA" : "mul, add", black},
        {peak() / 2, ceilings.fused ? "no FMA" : "one of them", grey},
        {ceilings.sincos[isDouble] * ceilings.sincosFlops[isDouble], "sincos", grey}};
    std::sort(lines.begin(), lines.end(),
              [](const Line &a, const Line &b) { return a.flops > b.flops; });
    double last = -1e9; // names keep apart
    for (const Line &line : lines) {
      segment(line.flops / ceilings.levels.front().speed, line.flops, std::pow(10, x1), line.flops,
              line.colour, line.flops == peak() ? 2.4 : 1.2);
      last = std::max(py(line.flops), last + 21);
      canvas.colour(line.colour);
      canvas.text(box.left + box.width + 9, last, 0,
                  fmt::format("{} {:.3g}", line.name, 1e-9 * line.flops), 0.74);
    }
  }

  /// A dot a level at its intensity, beside it the level's letter: above, or below where the kernel
  /// above is near.
  void points(const Reading &r, Colour colour, bool below) {
    struct Group {
      double x;
      std::string letters;
    };
    std::vector<Group> groups; // dots too near for a letter each
    const double y = py(r.flops()), right = box.left + box.width - 2 * dotRadius;
    std::vector<double> dots;
    for (std::size_t k = 0; k < r.traffic.bytes.size(); ++k) {
      const double x = std::min(px(r.intensity(k)), right);
      dots.push_back(x);
      if (!groups.empty() &&
          x - groups.back().x < 13 * static_cast<double>(groups.back().letters.size())) {
        groups.back().letters += letter(ceilings.levels[k].name);
        groups.back().x += 0.5 * (x - groups.back().x);
      } else {
        groups.push_back({x, letter(ceilings.levels[k].name)});
      }
    }
    segment(r.intensity(0), r.flops(),
            std::pow(10, x0 + (dots.back() - box.left) / box.width * (x1 - x0)), r.flops(), colour,
            1.8);
    for (const double x : dots) {
      canvas.disc(x, y, dotRadius + 1.5, white);
      canvas.disc(x, y, dotRadius, colour);
    }
    for (const Group &group : groups) {
      const double wide = 6.5 * static_cast<double>(group.letters.size());
      const double x = std::min(group.x, box.left + box.width - wide - 3);
      const double high = y + (below ? 18 : -17);
      for (double at = x - wide + 6.5; at < x + wide; at += 13) // over the lines behind it
        canvas.disc(at, high, 8, white);
      canvas.colour(colour);
      canvas.text(x, high, 0.5, group.letters, 0.7);
    }
  }

  void legend() {
    double y = box.top + box.height + 104;
    for (std::size_t k = 0; k < readings.size(); ++k, y += legendLine) {
      const Reading &r = *readings[k];
      const Facts facts = factsOf(r, ceilings);
      canvas.disc(box.left - 60, y, 7, kernelColours[k % kernelColours.size()]);
      canvas.colour(black);
      canvas.text(box.left - 42, y, 0,
                  escaped(fmt::format(
                      "{} {} ({}): {:.3g}e9 TQP/s, {:.0f}% of {}", r.kernel, r.algorithm,
                      r.operations.flopsAQ, 1e-9 * r.rate, 100 * facts.reached,
                      facts.tightest.name == "multiply-adds" ? "FMA" : facts.tightest.name)),
                  0.74);
    }
  }
};

} // namespace

void writeRoofline(const Roofline &roofline, const std::string &path) {
  std::vector<std::string> classes;
  std::size_t most = 0;
  for (const Reading &r : roofline.readings)
    if (std::find(classes.begin(), classes.end(), r.klass) == classes.end()) {
      classes.push_back(r.klass);
      most = std::max<std::size_t>(
          most, static_cast<std::size_t>(
                    std::count_if(roofline.readings.begin(), roofline.readings.end(),
                                  [&](const Reading &other) { return other.klass == r.klass; })));
    }
  const double legend = legendLine * static_cast<double>(most);
  const Ceilings &c = roofline.ceilings;
  const double width = panelWidth * static_cast<double>(classes.size());
  Canvas canvas(path, static_cast<int>(width), static_cast<int>(panelHeight));
  canvas.colour(black);
  std::string levels;
  for (const Bandwidth &level : c.levels)
    levels += fmt::format("{}{} {}", levels.empty() ? "" : ", ", letter(level.name), level.name);
  canvas.text(width / 2, 30, 0.5,
              escaped(fmt::format("roofline, {}, {} thread{}, {}", c.target, c.threads,
                                  c.threads == 1 ? "" : "s", roofline.date)),
              1.1);
  canvas.text(width / 2, 62, 0.5,
              escaped("dots: FLOPs a byte from " + levels +
                      "; at the right edge: more than the axis shows"),
              0.78);
  for (std::size_t k = 0; k < classes.size(); ++k)
    Panel(canvas, roofline, classes[k], panelWidth * static_cast<double>(k), legend).draw();
  canvas.commit();
}

} // namespace facet::runtime
