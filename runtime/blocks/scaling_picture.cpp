// scaling_picture.cpp - time and efficiency over ranks, both axes of time logarithmic.
#include "runtime/blocks/scaling.h"
#include "runtime/output/figure.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace facet::runtime {
namespace {

using namespace plot;

// Okabe and Ito: told apart by all eyes.
constexpr Colour total{0, 114, 178}, part{213, 94, 0}, dot{0, 140, 105};
constexpr double left = 110, across = 740;

Panel secondsOver(const std::vector<ScalingPoint> &curve, const std::vector<MeasuredRun> &measured,
                  const Scale &ranks) {
  const double first = curve.front().seconds();
  Panel panel{.box = {left, 90, across, 430}, .x = ranks, .grid = true, .size = 0.9};
  panel.x.label.clear();
  panel.y = {"seconds", 0, std::ceil(std::log10(first) + 0.05), true};
  panel.y.low = std::floor(std::log10(std::min(first / 10, curve.back().compute)) - 0.3);
  Line all{{}, {}, total, 2.6}, units{{}, {}, part, 1.6};
  Line ideal{{1, curve.back().ranks * 1.0}, {first, first / curve.back().ranks}, grey, 1.2};
  for (const ScalingPoint &p : curve) {
    all.x.push_back(p.ranks);
    all.y.push_back(p.seconds());
    units.x.push_back(p.ranks);
    units.y.push_back(p.compute);
  }
  panel.items = {ideal, units, all}; // ideal: all ranks at the speed of one
  for (const MeasuredRun &run : measured)
    panel.add(Disc{static_cast<double>(run.ranks), run.seconds, 7, dot});
  return panel;
}

Panel efficiencyOver(const std::vector<ScalingPoint> &curve, const Scale &ranks) {
  Panel panel{.box = {left, 590, across, 210}, .x = ranks, .grid = true, .size = 0.9};
  panel.y = {"efficiency, %", 0, 105};
  panel.y.marks = Ticks{{{0, "0"}, {25, "25"}, {50, "50"}, {75, "75"}, {100, "100"}}, {}};
  Line percent{{}, {}, total, 2.6};
  for (const ScalingPoint &p : curve) {
    percent.x.push_back(p.ranks);
    percent.y.push_back(100 * std::min(p.efficiency, 1.0));
  }
  panel.add(std::move(percent));
  return panel;
}

} // namespace

void writeScaling(const std::vector<ScalingPoint> &curve, const ScalingEnd &end,
                  const std::vector<MeasuredRun> &measured, const std::string &title,
                  const std::string &path) {
  Figure figure{.width = 900, .height = 900};
  const Scale ranks{"ranks", 0, std::max(std::log10(curve.back().ranks), 0.3), true};
  Panel page = figure.page();
  addHeading(page, 26, title, 1);
  addHeading(page, 60,
             fmt::format("efficiency 50% or more to {} ranks; limit: {}", end.ranks, end.why),
             0.74);
  double place = left + 24;
  for (const auto &[colour, name] :
       {std::pair{total, "all"}, {part, "units"}, {grey, "ideal"}, {dot, "measured"}}) {
    if (measured.empty() && name == std::string("measured"))
      continue;
    addKey(page, place, 496, colour, name, 0.74);
    place += 130;
  }
  figure.panels = {secondsOver(curve, measured, ranks), efficiencyOver(curve, ranks), page};
  draw(figure, path);
}

} // namespace facet::runtime
