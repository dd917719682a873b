// decide.cpp - from the choice a plan has taken to a Decision.
#include "runtime/plan/choices/amplification.h"
#include "runtime/plan/state.h"
#include <algorithm>

namespace facet::runtime {
namespace {

/// As many chunks as keep threads busy where there are few tiles.
std::int64_t chunksOf(const Grid &grid, const facet_variant &variant, std::int64_t records) {
  Layout layout = tilesOf(grid, variant, 1);
  setChunks(layout, variant, records);
  return layout.chunks;
}

/// So many q, of which nothing else matters here.
Grid anyList(std::int64_t n) {
  Grid list;
  list.kind = Grid::Kind::Points;
  constexpr std::int64_t enough = 1 << 16; // tiles for all threads
  for (Axis &axis : list.axes)
    axis.re.resize(static_cast<std::size_t>(std::clamp<std::int64_t>(n, 1, enough)));
  return list;
}

Cut cutOf(const Grid &grid, const Candidate &c, const Kernel &kernel, std::int64_t records,
          std::int64_t block) {
  CutRules rules = cutRules(c.choice.algorithm, c.variant, grid, kernel->fixed, records);
  if (block > 0)
    rules.records = block;
  return defaultCut(grid, records, rules);
}

} // namespace

// Where e L g exceeds its share of accuracy * max|F|, max|F| of all q: what a unit does must not
// depend on what others have found.
void Plan::State::setRepair(Decision &d) const {
  if (!mayRepair(taken(), precise, options))
    return;
  const std::vector<double> errors = sumErrors(taken(), *risk, records);
  for (std::size_t b = 0; b < errors.size(); ++b)
    if (const Bin &bin = risk->bins()[b]; errors[b] > 0)
      d.repair.push_back({bin.key, modelShare * options.accuracy * bin.scale / errors[b]});
}

// A unit that is the whole grid takes all records, and a plan's threads in each transform.
void Plan::State::setCut(Decision &d, bool units) const {
  const Candidate &c = taken();
  const std::int64_t most = options.whole ? options.whole->block : 0;
  if (units && c.units) {
    d.cut = c.units->cut;
    d.transforms = c.units->transforms;
    d.workers = c.units->workers;
    return;
  }
  if (units) {
    d.cut = cutOf(grid, c, kernel, size(), most);
  } else {
    d.cut = {grid.extents(), most > 0 ? most : size()};
    d.joined = c.choice.algorithm == FACET_SEPARABLE && grid.extents()[0] > 1;
    if (c.variant == nullptr) {
      d.threads = pool->size();
      d.constants = profile.nufftGuess();
    }
  }
  const std::int64_t block = std::min(d.cut.records, size());
  if (c.variant != nullptr)
    d.chunks = chunksOf(grid, *c.variant, block);
  if (!d.repair.empty())
    d.repairChunks = chunksOf(anyList(c.choice.repaired), *precise, block);
}

Decision Plan::State::decide(bool units) const {
  const Candidate &c = taken();
  Decision d;
  d.target = target;
  d.algorithm = c.choice.algorithm;
  d.klass = c.choice.klass;
  d.grid = c.choice.grid;
  d.nodes = c.choice.nodes;
  d.complexQ = grid.complexQ();
  d.tolerance = c.choice.tolerance;
  d.accuracy = options.accuracy;
  d.memory = memory;
  d.frame = records.frame();
  if (d.nodes)
    d.shells = shellsFor(c, work, *risk, options.accuracy);
  setRepair(d);
  setCut(d, units);
  return d;
}

std::vector<std::int64_t> Plan::State::repairsOf(const Decision &d) const {
  if (d.repair.empty() || precise == nullptr)
    return {};
  std::vector<double> limits;
  for (const Bin &bin : risk->bins())
    limits.push_back(d.limit(bin.key));
  return beyondLimits(risk->amplifications(), zeros, [&](std::size_t q) {
    return limits[risk->binIndex(static_cast<std::int64_t>(q))];
  });
}

bool Plan::State::follow(const Decision &d) {
  const auto isOf = [&](const Choice &c) {
    return c.refusal.empty() && c.algorithm == d.algorithm && c.grid == d.grid &&
           c.nodes == d.nodes &&
           (d.algorithm == FACET_NUFFT ? c.tolerance == d.tolerance : c.klass == d.klass);
  };
  if (small && !isOf(taken().choice)) {
    small = false;
    weigh();
  }
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (isOf(all[i].choice)) {
      take(static_cast<int>(i));
      explained.reason = "as planned before";
      return true;
    }
  }
  return false;
}

} // namespace facet::runtime
