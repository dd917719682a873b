// scaling.cpp - the time of a run on P ranks as a sum of what they do one after the other.
#include "runtime/blocks/scaling.h"
#include <algorithm>
#include <cmath>
#include <facet/runtime/plan.h>
#include <fmt/format.h>

namespace facet::runtime {
namespace {

constexpr double enough = 0.5; // efficiency

std::int64_t above(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

/// The measured error: 64 q by turns of all ranks, fewer where that takes more than 10% of the run
/// and 50 ms, never fewer than 16 (Plan::State::measuring, sharedReferences).
double errorSeconds(double sample, double compute, int ranks) {
  const auto all = static_cast<double>(above(64, ranks)),
             least = static_cast<double>(above(16, ranks));
  return std::min(all * sample, std::max({0.1 * compute, 0.05, least * sample}));
}

// A large broadcast is a scatter and an all-gather: (log2 p + p - 1) latencies, 2 (p - 1) / p of
// the bytes through each link (Thakur, Rabenseifner, Gropp, Int. J. High Perform. Comput. Appl. 19
// (2005) 49, section 4.2). Between nodes over links, then inside each over memory.
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
  const std::int64_t most = above(costs.units, ranks); // units of the most loaded rank
  double units = static_cast<double>(most);            // that it sums, or parts of one
  if (const std::int64_t share = std::min(ranks / costs.units, costs.blocks); share > 1)
    units *= static_cast<double>(above(costs.blocks, share)) / static_cast<double>(costs.blocks);
  p.compute = units * costs.unitSeconds;
  // Blocks are read for each unit, and once more for the measured error.
  p.mesh = costs.meshSeconds + (costs.streamed ? std::max((units + 1) * costs.passSeconds,
                                                          static_cast<double>(costs.units) *
                                                              costs.meshBytes / c.allReadSpeed)
                                               : broadcastSeconds(costs.meshBytes, c, ranks));
  const double unitBytes = costs.resultBytes / static_cast<double>(costs.units);
  // Syncs go on beside the sums, but for the last.
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

} // namespace facet::runtime
