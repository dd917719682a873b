// scaling.cpp - the time of a run on P ranks as a sum of what they do one after the other; its
// table and picture.
#include "runtime/blocks/scaling.h"
#include "runtime/output/figure.h"
#include "runtime/plan/grid/cut.h"
#include <algorithm>
#include <cmath>
#include <facet/runtime/plan.h>
#include <fmt/format.h>

namespace facet::runtime {
namespace {

constexpr double enough = 0.5; // efficiency

/// Seconds to measure the error: 64 q by turns of all ranks, fewer if that takes more than 10% of
/// the run and 50 ms, never fewer than 16 (Plan::State::measuring, sharedReferences).
double errorSeconds(double sample, double compute, int ranks) {
  const auto all = static_cast<double>(quotientUp(64, ranks)),
             least = static_cast<double>(quotientUp(16, ranks));
  return std::min(all * sample, std::max({0.1 * compute, 0.05, least * sample}));
}

// A large broadcast is a scatter and an all-gather: (log2 p + p - 1) latencies, 2 (p - 1) / p of
// the bytes through each link (Thakur, Rabenseifner, Gropp, Int. J. High Perform. Comput. Appl. 19
// (2005) 49, section 4.2). It goes between nodes over links, then inside each node over memory.
double broadcastSeconds(double bytes, const Cluster &c, int ranks) {
  const auto stage = [&](double p, double speed) {
    return p < 2 ? 0 : (std::log2(p) + p - 1) * c.latency + 2 * (p - 1) / p * bytes / speed;
  };
  const int nodes = (ranks + c.ranksOfNode - 1) / c.ranksOfNode;
  return stage(nodes, c.linkSpeed) + stage(std::min(ranks, c.ranksOfNode), c.memorySpeed);
}

ScalingPoint parts(const ScalingCosts &costs, const Cluster &c, int ranks) {
  ScalingPoint p;
  p.ranks = ranks;
  p.start = costs.startSeconds + (ranks > 1 ? c.startOfMpi + c.startOfRank * ranks : 0);
  const std::int64_t most = quotientUp(costs.units, ranks); // units of the most loaded rank
  double units = static_cast<double>(most);                 // units that it sums, or parts of one
  if (const std::int64_t share = std::min(ranks / costs.units, costs.blocks); share > 1)
    units *=
        static_cast<double>(quotientUp(costs.blocks, share)) / static_cast<double>(costs.blocks);
  p.compute = units * costs.unitSeconds;
  // Blocks are read for each unit, and once more for the measured error.
  p.mesh = costs.meshSeconds + (costs.streamed ? std::max((units + 1) * costs.passSeconds,
                                                          static_cast<double>(costs.units) *
                                                              costs.meshBytes / c.allReadSpeed)
                                               : broadcastSeconds(costs.meshBytes, c, ranks));
  const double unitBytes = costs.resultBytes / static_cast<double>(costs.units);
  // Syncs run beside the sums, except the last.
  p.write = std::max(static_cast<double>(most) * unitBytes / c.writeSpeed,
                     costs.resultBytes / c.allWriteSpeed) +
            c.syncSeconds;
  p.error = errorSeconds(costs.sampleSeconds, p.compute, ranks);
  p.bytes = (costs.streamed ? 0 : costs.meshBytes) + costs.rankBytes;
  return p;
}

} // namespace

ScalingPoint predictScaling(const ScalingCosts &costs, const Cluster &cluster, int ranks) {
  ScalingPoint p = parts(costs, cluster, ranks);
  p.efficiency = parts(costs, cluster, 1).seconds() / (ranks * p.seconds());
  return p;
}

std::vector<ScalingPoint> scalingCurve(const ScalingCosts &costs, const Cluster &cluster,
                                       int most) {
  std::vector<ScalingPoint> curve;
  for (int ranks = 1; ranks < most; ranks *= 2)
    curve.push_back(predictScaling(costs, cluster, ranks));
  curve.push_back(predictScaling(costs, cluster, most));
  return curve;
}

ScalingEnd scalingEnd(const ScalingCosts &costs, const Cluster &cluster, int most) {
  int last = 0;
  for (int ranks = 1; ranks <= most; ++ranks)
    if (predictScaling(costs, cluster, ranks).efficiency >= enough)
      last = ranks;
  if (last == most)
    return {most, fmt::format("efficiency is at least {:.0f}% to {} ranks", 100 * enough, most)};
  const ScalingPoint one = predictScaling(costs, cluster, 1);
  const ScalingPoint p = predictScaling(costs, cluster, last + 1);
  const std::pair<double, std::string> lost[] = {
      {p.compute - one.compute / p.ranks,
       fmt::format("{} unit{}, no more to share", costs.units, costs.units == 1 ? "" : "s")},
      {p.start - one.start / p.ranks, "each rank's start"},
      {p.mesh - one.mesh / p.ranks,
       costs.streamed ? "reading the mesh" : "reading and broadcasting the mesh"},
      {p.write - one.write / p.ranks, "writing the result"},
      {p.error - one.error / p.ranks, "measuring the error"}};
  const auto largest = std::max_element(std::begin(lost), std::end(lost));
  return {last, largest->second};
}

std::string scalingTable(const std::vector<ScalingPoint> &curve) {
  std::string text =
      fmt::format("{:>6} {:>10} {:>10} {:>9}   {:>9} {:>9} {:>9} {:>9} {:>9}\n", "ranks", "seconds",
                  "efficiency", "memory", "start", "mesh", "compute", "write", "error");
  for (const ScalingPoint &p : curve)
    text += fmt::format("{:>6} {:>10.4g} {:>9.0f}% {:>9}   {:>9.3g} {:>9.3g} {:>9.3g} {:>9.3g} "
                        "{:>9.3g}\n",
                        p.ranks, p.seconds(), 100 * p.efficiency, showBytes(p.bytes), p.start,
                        p.mesh, p.compute, p.write, p.error);
  return text;
}

namespace {

using namespace plot;

// Okabe and Ito: colours that all eyes can distinguish.
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

plot::Figure scalingFigure(const std::vector<ScalingPoint> &curve, const ScalingEnd &end,
                           const std::vector<MeasuredRun> &measured, const std::string &title) {
  Figure figure{.width = 900, .height = 900};
  const Scale ranks{"ranks", 0, std::max(std::log10(curve.back().ranks), 0.3), true};
  Panel page = figure.page();
  addHeading(figure, page, 26, title, 1);
  addHeading(figure, page, 60,
             fmt::format("efficiency 50% or more to {} ranks; limit: {}", end.ranks, end.why),
             0.74);
  double place = left + 24;
  for (const auto &[colour, name] :
       {std::pair{total, "all"}, {part, "units"}, {grey, "ideal"}, {dot, "measured"}}) {
    if (measured.empty() && name == std::string("measured"))
      continue;
    place = addKey(figure, page, place, 496, colour, name, 0.74);
  }
  figure.panels = {secondsOver(curve, measured, ranks), efficiencyOver(curve, ranks), page};
  return figure;
}

void writeScaling(const std::vector<ScalingPoint> &curve, const ScalingEnd &end,
                  const std::vector<MeasuredRun> &measured, const std::string &title,
                  const std::string &path) {
  draw(scalingFigure(curve, end, measured, title), path);
}

} // namespace facet::runtime
