// scaling_report.cpp - a plan's costs, as the model of ranks wants them.
#include "runtime/cli/run/scaling_report.h"
#include "runtime/files/clock.h"
#include "runtime/plan/blocks/decision.h"
#include "runtime/plan/inside.h"
#include <algorithm>
#include <facet/runtime/error.h>
#include <fmt/format.h>

namespace facet::cli {
namespace {

using namespace facet::runtime;

/// Seconds the reference takes for one q, measured on the first records.
double referenceSeconds(const Plan &plan, const MeshInput &input,
                        const std::vector<double> &params) {
  constexpr std::int64_t most = 20000;
  const Kernel &kernel = kernelOf(plan);
  const Mesh &mesh = *input.mesh; // or a part of it
  std::vector<std::vector<double>> columns;
  std::vector<const double *> pointers;
  columns.reserve(static_cast<std::size_t>(kernel->column_count));
  for (int c = 0; c < kernel->column_count; ++c)
    columns.push_back(column(mesh, kernel->columns[c]));
  pointers.reserve(columns.size());
  for (const std::vector<double> &values : columns)
    pointers.push_back(values.data());
  const std::int64_t n = std::min(mesh.size(), most);
  const double q[6] = {0.1, 0, 0.2, 0, 0.3, 0};
  double value[2], sumAbs = 0, factor = 0, least = 1e300;
  for (int k = 0; k < 3; ++k) {
    const Stopwatch watch;
    kernel->reference(q, 1, pointers.data(), n, params.data(), value, &sumAbs, &factor);
    least = std::min(least, watch.seconds());
  }
  return least * static_cast<double>(input.size()) /
         static_cast<double>(std::max<std::int64_t>(n, 1));
}

/// Seconds of reading the whole mesh once, measured on one block.
double passSeconds(const MeshInput &mesh) {
  const Stopwatch watch;
  const std::int64_t n = std::min(mesh.block, mesh.size());
  mesh.blocks->read(0, n);
  return watch.seconds() * static_cast<double>(mesh.size()) / static_cast<double>(n);
}

ScalingCosts costsOf(const Plan &plan, const Grid &grid, const MeshInput &mesh,
                     const std::vector<double> &params, double startSeconds, double readSeconds) {
  const Decision decision = decisionOf(plan);
  const Choice &taken = plan.choice();
  ScalingCosts costs;
  costs.units = Units(grid.extents(), decision.cut).count();
  const auto units = static_cast<double>(costs.units);
  if (decision.cut.records > 0)
    costs.blocks = (mesh.size() + decision.cut.records - 1) / decision.cut.records;
  costs.unitSeconds = taken.seconds / units;
  costs.startSeconds = startSeconds;
  costs.meshBytes =
      static_cast<double>(mesh.size()) *
      static_cast<double>(sizeof(double) * static_cast<std::size_t>(kernelOf(plan)->column_count));
  costs.meshSeconds = readSeconds;
  costs.streamed = mesh.streamed;
  costs.passSeconds = mesh.streamed ? passSeconds(mesh) : 0;
  const double f = 16 * static_cast<double>(grid.size());
  costs.resultBytes = 1.5 * f; // and |F|^2
  costs.sampleSeconds = referenceSeconds(plan, mesh, params) / plan.explain().threads;
  // Of its units, without all of F; the plan knows of no blocks.
  costs.rankBytes = std::max(taken.bytes - f, 0.0) + blockBytes(mesh);
  return costs;
}

} // namespace

void reportScaling(const ScalingCosts &costs, int threads, const std::string &title,
                   const ScalingAsked &asked) {
  constexpr int most = 1000000;
  if (asked.ranks < 1 || asked.ranks > most)
    throw Error(fmt::format("--ranks {}", asked.ranks), "is no number of ranks",
                fmt::format("give 1 to {}", most));
  const Cluster cluster;
  const std::vector<ScalingPoint> curve = scalingCurve(costs, cluster, asked.ranks);
  const ScalingEnd end = scalingEnd(costs, cluster, asked.ranks);
  fmt::print(
      "\n{} unit{} of {:.3g} s on ranks of {} thread{}; links, disks and starts are assumed, "
      "as of a common cluster (docs/scaling.md)\n",
      costs.units, costs.units == 1 ? "" : "s", costs.unitSeconds, threads,
      threads == 1 ? "" : "s");
  fmt::print("{}", scalingTable(curve));
  if (end.ranks == asked.ranks)
    fmt::print("scaling    efficiency 50% or more to all {} ranks\n", end.ranks);
  else
    fmt::print("scaling    efficiency 50% or more to {} ranks; limit: {}\n", end.ranks, end.why);
  if (asked.picture.empty())
    return;
  writeScaling(curve, end, {}, title, asked.picture);
  fmt::print("picture    {}\n", asked.picture);
}

void reportScaling(const Plan &plan, const Grid &grid, const MeshInput &mesh,
                   const std::vector<double> &params, double startSeconds, double readSeconds,
                   const ScalingAsked &asked) {
  reportScaling(costsOf(plan, grid, mesh, params, startSeconds, readSeconds),
                plan.explain().threads,
                fmt::format("{}, {} triangles, {} q, {}", kernelOf(plan)->name, mesh.size(),
                            grid.size(), name(plan.choice())),
                asked);
}

} // namespace facet::cli
