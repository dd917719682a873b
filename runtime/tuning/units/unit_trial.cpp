// unit_trial.cpp - a torus on a large grid: decisions that differ in the cut alone.
#include "runtime/tuning/units/unit_trial.h"
#include "runtime/tuning/trial/problem.h"
#include <algorithm>
#include <ctime>
#include <facet/runtime/mesh_stream.h>
#include <fmt/format.h>

namespace facet::runtime {
namespace {

using schedules::Knobs;

constexpr std::int64_t leastQ = 1 << 15;  // that one timing takes, so that it is long enough
constexpr double mostSeconds = 0.25;      // that one may take: sums as slow as that gain nothing
constexpr std::int64_t blocksQ = 1 << 14; // of a unit where t blocks are timed, with more records
constexpr std::int64_t smallSide = 64, smallQ = 4096; // of what is computed first
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
  leastQ_ = blocks ? blocksQ : leastQ;
  double each = 0; // seconds of a q
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
    const std::int64_t q = std::max(leastQ_, firstOf(own.cut).size());
    timed_.push_back(std::move(timed));
    // A small unit reads the records, and tells how fast the sums are.
    Unit small = firstOf(own.cut);
    for (std::size_t k = 0; k < 3; ++k)
      small.end[k] = std::min(small.end[k], small.begin[k] + (points ? smallQ : smallSide));
    run(timed_.back(), small);
    if (timed_.size() == 1)
      each = run(timed_.back(), small) / static_cast<double>(small.size());
    if (const double expected = each * static_cast<double>(q); expected > mostSeconds)
      timed_.back().refusal = fmt::format("its units take {:.1f} s: too long to time", expected);
  }
}

Unit UnitTrial::firstOf(const Cut &cut) const { return Units(grid_.extents(), cut).at(0); }

double UnitTrial::run(Timed &timed, const Unit &unit) {
  const Grid part = unitGrid(grid_, unit);
  values_.resize(static_cast<std::size_t>(unit.size()));
  const double start = processorSeconds();
  timed.evaluator->run(part, params_, values_.data());
  return processorSeconds() - start;
}

double UnitTrial::run(std::size_t candidate) {
  Timed &timed = timed_[candidate];
  if (!timed.refusal.empty())
    return 0;
  const Units units(grid_.extents(), timed.cut);
  double seconds = 0;
  std::int64_t q = 0;
  for (std::int64_t k = 0; k < units.count() && q < leastQ_; ++k) {
    seconds += run(timed, units.at(k));
    q += units.at(k).size();
  }
  return seconds / (static_cast<double>(q) * static_cast<double>(mesh_->size()));
}

} // namespace facet::runtime
