// picture.cpp - the hierarchical roofline: FLOP/s over FLOPs a byte, a panel a class.
#include "runtime/output/canvas.h"
#include "runtime/roofline/remarks.h"
#include <algorithm>
#include <cmath>
#include <facet/runtime/error.h>
#include <fmt/format.h>

namespace facet::runtime {
namespace {

constexpr Colour black{20, 20, 20}, grey{110, 110, 110}, faint{228, 228, 228}, white{255, 255, 255};
// Okabe and Ito: told apart by all eyes.
constexpr std::array<Colour, 6> kernelColours{Colour{0, 114, 178}, Colour{213, 94, 0},
                                              Colour{0, 140, 105}, Colour{180, 80, 140},
                                              Colour{120, 90, 0},  Colour{86, 140, 200}};
constexpr double panelWidth = 800, panelHeight = 760, legendLine = 30;
constexpr double discRadius = 10;

/// "1", "2", "3" of caches, "M" of memory.
std::string letter(const std::string &level) {
  return level == "memory" ? "M" : level.substr(level.size() - 1);
}

class Panel {
public:
  Panel(Canvas &canvas, const Roofline &roofline, const std::string &klass, double left,
        double legend)
      : canvas(canvas), ceilings(roofline.ceilings), klass(klass), isDouble(klass == "f64"),
        box{left + 105, 100, panelWidth - 150, panelHeight - 210 - legend} {
    for (const Reading &reading : roofline.readings)
      if (reading.klass == klass)
        readings.push_back(&reading);
    findRange();
  }

  void draw() {
    frame();
    roofs();
    flat();
    for (std::size_t k = 0; k < readings.size(); ++k)
      points(*readings[k], kernelColours[k % kernelColours.size()]);
    legend();
  }

private:
  Canvas &canvas;
  const Ceilings &ceilings;
  std::string klass;
  bool isDouble;
  Box box;
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
    x0 = std::floor(std::log10(left) - 0.7);
    x1 = std::clamp(std::ceil(std::log10(right) + 0.1), x0 + 3, x0 + 7);
    y1 = std::log10(peak()) + 0.35;
    y0 = std::min(std::log10(low), y1) - 0.5;
    y0 = std::min(y0, y1 - 1.9);
  }

  void window() const { canvas.window(box, x0, x1, y0 - 9, y1 - 9); }

  void frame() {
    window();
    canvas.colour(faint);
    canvas.frame("g", 1, 0, "g", 1, 0);
    canvas.colour(black);
    canvas.frame("bclnst", 1, 9, "bclnstv", 1, 9);
    canvas.text(box.left + box.width / 2, box.top + box.height + 62, 0.5, "FLOPs a byte");
    canvas.text(box.left - 78, box.top + box.height / 2, 0.5, "GFLOP/s", 1, true);
    canvas.colour(black);
    canvas.text(box.left + box.width / 2, box.top - 22, 0.5, klass, 1.15);
  }

  void segment(double xa, double ya, double xb, double yb, Colour colour, double width) {
    window();
    canvas.line({std::log10(xa), std::log10(xb)}, {std::log10(ya) - 9, std::log10(yb) - 9}, colour,
                width);
  }

  /// A diagonal a level, from the edge to the peak, its name along it.
  void roofs() {
    const double edge = std::pow(10, x0), floor = std::pow(10, y0);
    const double run = px(10) - px(1), rise = py(1) - py(10);
    for (const Bandwidth &level : ceilings.levels) {
      const double from = std::max(edge, floor / level.speed), ridge = peak() / level.speed;
      segment(from, from * level.speed, ridge, peak(), grey, 1.6);
      canvas.colour(grey);
      // Above its line, where that has left the frame by a little.
      const double at = std::max(px(from) + 14, box.left + 14), height = py(from * level.speed);
      const double shift = (at - px(from)) * rise / run;
      canvas.slanted(at - 8, height - shift - 12, run, rise, 0,
                     fmt::format("{} {:.3g} GB/s", level.name, 1e-9 * level.speed), 0.8);
    }
  }

  /// Horizontal ceilings: multiply-adds; without them, half; sines with cosines.
  void flat() {
    const double right = std::pow(10, x1), fastest = ceilings.levels.front().speed;
    const double half = peak() / 2,
                 sincos = ceilings.sincos[isDouble] * ceilings.sincosFlops[isDouble];
    const auto line = [&](double flops, const std::string &name, bool above, Colour colour) {
      segment(flops / fastest, flops, right, flops, colour, flops == peak() ? 2.4 : 1.2);
      canvas.colour(colour);
      canvas.text(box.left + box.width - 8, py(flops) + (above ? -11 : 13), 1,
                  fmt::format("{} {:.4g}", name, 1e-9 * flops), 0.8);
    };
    line(peak(), ceilings.fused ? "fused multiply-adds" : "multiplications with additions", true,
         black);
    line(half, "no multiply-adds", half > sincos, grey);
    line(sincos, "sines with cosines", half <= sincos, grey);
  }

  /// A disc a level at its intensity; levels that meet lie side by side.
  void points(const Reading &r, Colour colour) {
    struct Group {
      double x;
      std::string letters;
    };
    std::vector<Group> groups;
    for (std::size_t k = 0; k < r.traffic.bytes.size(); ++k) {
      const double x = std::min(px(r.intensity(k)), box.left + box.width - 12);
      if (!groups.empty() &&
          x - groups.back().x < 2 * discRadius * static_cast<double>(groups.back().letters.size()))
        groups.back().letters += letter(ceilings.levels[k].name);
      else
        groups.push_back({x, letter(ceilings.levels[k].name)});
    }
    const double y = py(r.flops());
    segment(r.intensity(0), r.flops(),
            std::pow(10, x0 + (groups.back().x - box.left) / box.width * (x1 - x0)), r.flops(),
            colour, 1.6);
    for (const Group &group : groups)
      for (std::size_t i = 0; i < group.letters.size(); ++i) {
        const double x = group.x - discRadius * (static_cast<double>(group.letters.size()) - 1 -
                                                 2 * static_cast<double>(i));
        disc(x, y, colour, group.letters.substr(i, 1));
      }
  }

  void disc(double x, double y, Colour colour, const std::string &text) {
    canvas.disc(x, y, discRadius + 1.5, white);
    canvas.disc(x, y, discRadius, colour);
    canvas.colour(white, 1.5);
    canvas.text(x, y, 0.5, text, 0.72);
    canvas.colour(black);
  }

  void legend() {
    double y = box.top + box.height + 102;
    for (std::size_t k = 0; k < readings.size(); ++k, y += legendLine) {
      const Reading &r = *readings[k];
      const Facts facts = factsOf(r, ceilings);
      canvas.disc(box.left - 60, y, 8, kernelColours[k % kernelColours.size()]);
      canvas.colour(black);
      canvas.text(box.left - 42, y, 0,
                  escaped(fmt::format("{} {}: {} FLOPs, {:.3g}e9 TQP/s, {:.0f}% of {}", r.kernel,
                                      r.algorithm, r.operations.flopsAQ, 1e-9 * r.rate,
                                      100 * facts.reached, facts.tightest.name)),
                  0.85);
    }
  }
};

} // namespace

void checkPicture(const std::string &path) { const Canvas probe(path, 64, 64); }

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
  canvas.text(width / 2, 26, 0.5,
              escaped(fmt::format("roofline, {}, {} thread{}, {}", c.target, c.threads,
                                  c.threads == 1 ? "" : "s", roofline.date)),
              1.2);
  canvas.text(width / 2, 54, 0.5, escaped("traffic with: " + levels), 0.8);
  for (std::size_t k = 0; k < classes.size(); ++k)
    Panel(canvas, roofline, classes[k], panelWidth * static_cast<double>(k), legend).draw();
  canvas.commit();
}

} // namespace facet::runtime
