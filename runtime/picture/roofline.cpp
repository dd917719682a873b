// roofline.cpp - the hierarchical roofline: FLOP/s over FLOPs a byte, a panel a class.
#include "runtime/engine/tune/roofline/roofline.h"
#include "runtime/engine/system/text.h"
#include "runtime/picture/figure.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <functional>
#include <map>
#include <optional>
#include <ranges>

namespace facet::runtime {
namespace {

using namespace plot;

// Okabe and Ito: all eyes tell them apart.
constexpr std::array<Colour, 6> kernelColours{Colour{0, 114, 178}, Colour{213, 94, 0},
                                              Colour{0, 140, 105}, Colour{180, 80, 140},
                                              Colour{120, 90, 0},  Colour{86, 140, 200}};
constexpr double panelWidth = 830, panelHeight = 900, legendLine = 30;
constexpr double nameSize = 0.74; // of text in a panel and below it
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
  Roofs(const Figure &figure, const Roofline &roofline, const std::string &klass, double left,
        double legend)
      : figure(figure), ceilings(roofline.ceilings), klass(klass), isDouble(klass == "f64") {
    panel.box = {left + 115, 120, panelWidth - 300, figure.height - 240 - legend};
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
    for (const Reading *reading : readings)
      for (const double x : dotsOf(*reading))
        block(x, panel.py(1e-9 * reading->flops()));
    for (std::size_t k = 0; k < readings.size(); ++k)
      line(*readings[k], kernelColours[k % kernelColours.size()]);
    for (std::size_t k = 0; k < readings.size(); ++k)
      letters(*readings[k], kernelColours[k % kernelColours.size()]);
    namesOfRoofs();
    return panel;
  }

  /// Adds a line for each kernel, below the panel.
  void legend(Panel &page) const {
    double y = panel.box.top + panel.box.height + 110;
    for (std::size_t k = 0; k < readings.size(); ++k, y += legendLine) {
      const Reading &r = *readings[k];
      const Bounds bounds = boundsOf(r, ceilings);
      const std::string text =
          fmt::format("{} {} ({}): {:.3g}e9 TQP/s, {:.0f}% of {}", r.key.kernel, r.key.algorithm,
                      r.operations.flopsAQ, 1e-9 * r.rate, 100 * bounds.reached,
                      bounds.tightest.name == "multiply-adds" ? "FMA" : bounds.tightest.name);
      addKey(figure, page, panel.box.left - 80, y, kernelColours[k % kernelColours.size()],
             cutToFit(text, figure.pixelsOf(nameSize), panelWidth - 70), nameSize);
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

  /// Adds a diagonal for each level, from the edge to the peak.
  void roofs() {
    for (const Bandwidth &level : ceilings.levels) {
      const double speed = 1e-9 * level.speed, ridge = peak() / speed, from = footOf(speed);
      panel.add(Line{{from, ridge}, {from * speed, peak()}, grey, 1.6});
    }
  }
  double footOf(double speed) const {
    return std::max(std::pow(10, panel.x.low), lowest() / speed);
  }

  /// Adds the name of each diagonal along it, on either side where no other text and no dot is.
  void namesOfRoofs() {
    const double run = panel.px(10) - panel.px(1), rise = panel.py(1) - panel.py(10),
                 away = 0.55 * figure.pixelsOf(nameSize) / std::hypot(run, rise);
    for (const Bandwidth &level : ceilings.levels) {
      const double speed = 1e-9 * level.speed, from = footOf(speed);
      std::optional<Text> text;
      for (const double part : {0.35, 0.5, 0.25, 0.65, 0.4, 0.75})
        for (const double side : {1, -1}) {
          const double at = from * std::pow(peak() / speed / from, part);
          const Text one{at,
                         at * speed,
                         fmt::format("{} {:.3g} GB/s", level.name, speed),
                         nameSize,
                         0.5,
                         grey,
                         -side * away * rise,
                         -side * away * run,
                         run,
                         rise,
                         true};
          if ((!text || !isClear(*text)) && isClear(one))
            text = one;
        }
      if (text)
        write(*text);
    }
  }

  /// Whether a text is inside of the panel, and over no other and no dot.
  bool isClear(const Text &text) const {
    const Lettering one = letteringOf(figure, panel, text);
    for (const auto &[x, y] : one.corners)
      if (x < panel.box.left + 2 || x > right() - 2 || y < panel.box.top + 2 ||
          y > panel.box.top + panel.box.height - 2)
        return false;
    return std::ranges::none_of(taken, [&](const Lettering &other) { return one.overlaps(other); });
  }
  void write(const Text &text) {
    taken.push_back(letteringOf(figure, panel, text));
    panel.add(text);
  }
  /// Keeps texts from a dot.
  void block(double x, double y) {
    constexpr double r = dotRadius + 2;
    taken.push_back({"", 0, {{{x - r, y - r}, {x + r, y - r}, {x + r, y + r}, {x - r, y + r}}}});
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
      last = std::max(y, last + 1.05 * figure.pixelsOf(nameSize));
      panel.add(Text{end, line.flops, fmt::format("{} {:.3g}", line.name, line.flops), nameSize, 0,
                     line.colour, 9, last - y});
    }
  }

  /// Where the dots of a reading are, pixels: those beyond the axis lie at its end.
  std::vector<double> dotsOf(const Reading &r) const {
    std::vector<double> dots;
    for (std::size_t k = 0; k < r.traffic.bytes.size(); ++k)
      dots.push_back(std::min(panel.px(r.intensity(k)), right() - 2 * dotRadius));
    return dots;
  }
  double valueAt(double x) const { // of a pixel
    const double decades = panel.x.high - panel.x.low;
    return std::pow(10, panel.x.low + (x - panel.box.left) / panel.box.width * decades);
  }

  /// Adds a dot for each level at its intensity.
  void line(const Reading &r, Colour colour) {
    const double flops = 1e-9 * r.flops();
    const std::vector<double> dots = dotsOf(r);
    panel.add(Line{{r.intensity(0), valueAt(dots.back())}, {flops, flops}, colour, 1.8});
    for (const double x : dots)
      for (const auto &[radius, of] : {std::pair{dotRadius + 1.5, white}, {dotRadius, colour}})
        panel.add(Disc{valueAt(x), flops, radius, of});
  }

  /// Adds the letters of the levels above or below their dots; where other kernels are in the way
  /// on both sides, none.
  void letters(const Reading &r, Colour colour) {
    struct Group {
      double x;
      std::string letters;
    };
    const double pixels = figure.pixelsOf(nameSize);
    std::vector<Group> groups; // dots too near for a letter each
    const std::vector<double> dots = dotsOf(r);
    for (std::size_t k = 0; k < dots.size(); ++k) {
      const std::string one = letter(ceilings.levels[k].name);
      if (!groups.empty() && dots[k] - groups.back().x <
                                 0.7 * pixels * static_cast<double>(groups.back().letters.size())) {
        groups.back().letters += one;
        groups.back().x += 0.5 * (dots[k] - groups.back().x);
      } else {
        groups.push_back({dots[k], one});
      }
    }
    for (const Group &group : groups) {
      const double half = 0.5 * textWidth(group.letters, pixels);
      const double x = std::min(group.x, right() - half - 4);
      std::optional<Text> best; // beside the lines of other kernels rather than on them
      for (const double dy : {-0.72, 0.76, -1.5, 1.5}) {
        const Text text{valueAt(x),
                        1e-9 * r.flops(),
                        group.letters,
                        nameSize,
                        0.5,
                        colour,
                        0,
                        dy * pixels - std::copysign(3, -dy),
                        1,
                        0,
                        true};
        if (isClear(text) && (!best || (isBeyondLine(*best, r) && !isBeyondLine(text, r))))
          best = text;
      }
      if (best)
        write(*best);
    }
  }
  /// Whether the line of another kernel is between a text and its own kernel.
  bool isBeyondLine(const Text &text, const Reading &own) const {
    const auto corners = letteringOf(figure, panel, text).corners;
    const double at = panel.py(1e-9 * own.flops());
    return std::ranges::any_of(readings, [&](const Reading *r) {
      const double y = panel.py(1e-9 * r->flops());
      return r != &own && y > std::min(corners[0][1], at) && y < std::max(corners[2][1], at);
    });
  }

  const Figure &figure;
  const Ceilings &ceilings;
  std::string klass;
  bool isDouble;
  std::vector<const Reading *> readings;
  Panel panel;
  std::vector<Lettering> taken; // by texts and dots
};

} // namespace

plot::Figure rooflineFigure(const Roofline &roofline) {
  std::vector<std::string> classes;
  std::map<std::string, double> count;
  for (const Reading &r : roofline.readings)
    if (++count[r.key.klass] == 1)
      classes.push_back(r.key.klass);
  const double most = std::ranges::max(count | std::views::values); // kernels of a class
  const Ceilings &c = roofline.ceilings;
  Figure figure{.width = static_cast<int>(panelWidth * static_cast<double>(classes.size())),
                .height = static_cast<int>(panelHeight + legendLine * std::max(0.0, most - 4))};
  figure.font = std::min(30.0, figure.pixelsOfText()); // panels do not grow with their number
  std::string levels;
  for (const Bandwidth &level : c.levels)
    levels += fmt::format("{}{} {}", levels.empty() ? "" : ", ", letter(level.name), level.name);
  Panel page = figure.page();
  addHeading(
      figure, page, 30,
      fmt::format("roofline, {}, {}, {}", c.target, plural(c.threads, "thread"), roofline.date),
      1.1);
  addHeading(figure, page, 62,
             "dots: FLOPs a byte from " + levels + "; at the right edge: more than the axis shows",
             0.78);
  for (std::size_t k = 0; k < classes.size(); ++k) {
    Roofs roofs(figure, roofline, classes[k], panelWidth * static_cast<double>(k),
                legendLine * most);
    figure.panels.push_back(roofs.make());
    roofs.legend(page);
  }
  figure.panels.push_back(page);
  return figure;
}

void writeRoofline(const Roofline &roofline, const std::string &path) {
  draw(rooflineFigure(roofline), path);
}

} // namespace facet::runtime
