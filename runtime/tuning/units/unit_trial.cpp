// unit_trial.cpp - a torus on a large grid: decisions that differ in the cut alone.
#include "runtime/tuning/units/unit_trial.h"
#include "runtime/tuning/trial/problem.h"
#include <ctime>
#include <facet/runtime/mesh_stream.h>
#include <fmt/format.h>

namespace facet::runtime {
namespace {

using schedules::Knobs;

constexpr std::int64_t leastQ = 1 << 15;  // that one timing takes, so that it is long enough
constexpr double mostSeconds = 0.4;       // that one may take: sums as slow as that gain nothing
constexpr std::int64_t blocksQ = 1 << 15; // of a unit where t blocks are timed, with more records
// Records of the problem whose units the rules choose: many, so that they are the smallest. Few of
// them are summed, which changes the time of a triangle-q-point little.
constexpr std::int64_t asManyRecords = 1 << 18;

/// Of this process.
double processorSeconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

Decision decisionOf(const facet_variant &variant, const Grid &grid, const Mesh &mesh,
                    const facet_kernel_description &kernel) {
  Decision d;
  d.target = variant.target;
  d.algorithm = static_cast<facet_algorithm>(variant.algorithm);
  d.klass = static_cast<facet_class>(variant.klass);
  d.grid = static_cast<facet_grid_kind>(variant.grid);
  d.nodes = variant.nodes != 0;
  d.complexQ = variant.q == FACET_COMPLEX_Q;
  d.accuracy = 1e-5;
  Records records(kernel);
  records.setMesh(mesh);
  d.frame = records.frame();
  if (d.nodes)
    d.shells = shellsOf(grid, d.accuracy);
  return d;
}

} // namespace

UnitTrial::UnitTrial(const Kernel &kernel, const std::vector<Knobs> &candidates) {
  const facet_variant &variant = kernel->variants[0];
  bool blocks = false; // of records differ, which needs many
  for (const Knobs &knobs : candidates)
    blocks = blocks || knobs.unitT != candidates.front().unitT;
  const Problem problem(*kernel, variant, {960, 1024, blocks ? 4 : 1});
  grid_ = problem.grid();
  params_ = problem.params();
  mesh_ = std::make_shared<const Mesh>(problem.mesh(*kernel));
  const Decision common = decisionOf(variant, grid_, *mesh_, *kernel);
  const int threads = candidates.front().threads > 0 ? candidates.front().threads : usableThreads();
  const CutRules rules = cutRules(common.algorithm, &variant, grid_, kernel->fixed, asManyRecords);
  double each = 0; // seconds of a triangle-q-point, once the first is known
  for (const Knobs &knobs : candidates) {
    const bool points = common.grid == FACET_POINTS;
    Decision own = common;
    own.cut = cutFrom(points ? fmt::format("{},0,0,{}", knobs.unitZ, knobs.unitT)
                             : fmt::format("1,{},{},{}", knobs.unitY, knobs.unitZ, knobs.unitT),
                      grid_, asManyRecords, rules);
    while (blocks && own.cut.tile[1] * own.cut.tile[2] > blocksQ && own.cut.tile[1] > 1)
      own.cut.tile[1] = (own.cut.tile[1] + 1) / 2;
    Timed timed{
        own.cut,
        std::make_unique<Evaluator>(
            kernel, own, std::make_shared<Slices>(kernel, own, blocksOf(mesh_), 1e9), threads),
        ""};
    const std::int64_t q = Units(grid_.extents(), own.cut).at(0).size();
    const double expected = each * static_cast<double>(q * mesh_->size());
    if (expected > mostSeconds)
      timed.refusal = fmt::format("a unit takes {:.1f} s: too long to time", expected);
    else // which reads the records too
      each = std::max(each, time(timed));
    timed_.push_back(std::move(timed));
  }
}

double UnitTrial::time(Timed &timed) {
  const Units units(grid_.extents(), timed.cut);
  double seconds = 0;
  std::int64_t q = 0;
  for (std::int64_t k = 0; k < units.count() && q < leastQ; ++k) {
    const Unit unit = units.at(k);
    const Grid part = unitGrid(grid_, unit);
    values_.resize(static_cast<std::size_t>(unit.size()));
    const double start = processorSeconds();
    timed.evaluator->run(part, params_, values_.data());
    seconds += processorSeconds() - start;
    q += unit.size();
  }
  return seconds / (static_cast<double>(q) * static_cast<double>(mesh_->size()));
}

double UnitTrial::run(std::size_t candidate) {
  Timed &timed = timed_[candidate];
  return timed.refusal.empty() ? time(timed) : 0;
}

} // namespace facet::runtime
