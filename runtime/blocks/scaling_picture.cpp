// scaling_picture.cpp - time and efficiency over ranks, both axes of time logarithmic.
#include "runtime/blocks/scaling.h"
#include "runtime/output/canvas.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace facet::runtime {
namespace {

constexpr Colour black{20, 20, 20}, grey{120, 120, 120}, faint{228, 228, 228};
// Okabe and Ito: told apart by all eyes.
constexpr Colour total{0, 114, 178}, part{213, 94, 0}, dot{0, 140, 105};
constexpr int pageWidth = 900, pageHeight = 900;
constexpr double left = 110, across = 740;

using Row = std::vector<double>;

Row logs(const std::vector<ScalingPoint> &curve, double (*value)(const ScalingPoint &)) {
  Row row;
  for (const ScalingPoint &p : curve)
    row.push_back(std::log10(std::max(value(p), 1e-300)));
  return row;
}

} // namespace

void writeScaling(const std::vector<ScalingPoint> &curve, const ScalingEnd &end,
                  const std::vector<MeasuredRun> &measured, const std::string &title,
                  const std::string &path) {
  Canvas canvas(path, pageWidth, pageHeight);
  canvas.colour(black);
  canvas.text(pageWidth / 2.0, 26, 0.5, escaped(title), 1.0);
  canvas.text(
      pageWidth / 2.0, 56, 0.5,
      escaped(fmt::format("efficiency 50% or more to {} ranks; limit: {}", end.ranks, end.why)),
      0.74);
  const Row ranks = logs(curve, [](const ScalingPoint &p) { return double(p.ranks); });
  const Row seconds = logs(curve, [](const ScalingPoint &p) { return p.seconds(); });
  const double x1 = std::max(ranks.back(), 0.3);
  const double y1 = std::ceil(seconds.front() + 0.05);
  const Row compute = logs(curve, [](const ScalingPoint &p) { return p.compute; });
  const double y0 = std::floor(std::min(seconds.front() - 1, compute.back()) - 0.3);

  const Box above{left, 90, across, 430};
  canvas.window(above, 0, x1, y0, y1);
  canvas.colour(faint);
  canvas.frame("g", 1, 0, "g", 1, 0);
  canvas.colour(black);
  canvas.frame("bclst", 1, 9, "bclnstv", 1, 9);
  canvas.text(30, above.top + above.height / 2, 0.5, "seconds", 0.95, true);
  canvas.window(above, 0, x1, y0, y1); // text has its own
  const double from = seconds.front();
  const double to = std::max(from - x1, y0);
  canvas.line({0, from - to}, {from, to}, grey, 1.2); // all ranks at the speed of one
  Row x, y;
  for (std::size_t k = 0; k < compute.size() && compute[k] >= y0; ++k) {
    x.push_back(ranks[k]);
    y.push_back(compute[k]);
  }
  canvas.line(x, y, part, 1.6);
  canvas.line(ranks, seconds, total, 2.6);
  for (const MeasuredRun &run : measured)
    canvas.disc(above.left + above.width * std::log10(run.ranks) / x1,
                above.top + above.height * (y1 - std::log10(run.seconds)) / (y1 - y0), 7, dot);
  const std::pair<Colour, const char *> names[] = {
      {total, "all"}, {part, "units"}, {grey, "ideal"}, {dot, "measured"}};
  double place = above.left + 24;
  for (const auto &[colour, name] : names) {
    if (measured.empty() && colour.g == dot.g && colour.r == dot.r)
      continue;
    canvas.disc(place, above.top + above.height - 24, 7, colour);
    canvas.colour(black);
    canvas.text(place + 14, above.top + above.height - 24, 0, name, 0.74);
    place += 130;
  }

  const Box below{left, 590, across, 210};
  canvas.window(below, 0, x1, 0, 105);
  canvas.colour(faint);
  canvas.frame("g", 1, 0, "g", 25, 0);
  canvas.colour(black);
  canvas.frame("bclnst", 1, 9, "bcnstv", 25, 5);
  canvas.text(30, below.top + below.height / 2, 0.5, "efficiency, %", 0.95, true);
  canvas.text(below.left + below.width / 2, below.top + below.height + 60, 0.5, "ranks", 0.95);
  canvas.window(below, 0, x1, 0, 105);
  Row percent;
  for (const ScalingPoint &p : curve)
    percent.push_back(100 * std::min(p.efficiency, 1.0));
  canvas.line(ranks, percent, total, 2.6);
  canvas.commit();
}

} // namespace facet::runtime
