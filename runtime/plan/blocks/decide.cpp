// decide.cpp - from the choice a plan has taken to a Decision.
#include "runtime/plan/blocks/evaluator.h"
#include "runtime/plan/state.h"
#include <algorithm>

namespace facet::runtime {

Decision Plan::decision() const {
  const State &s = *state_;
  const Candidate &c = s.taken();
  Decision d;
  d.target = s.target;
  d.algorithm = c.choice.algorithm;
  d.klass = c.choice.klass;
  d.grid = c.choice.grid;
  d.nodes = c.choice.nodes;
  d.complexQ = s.grid.complexQ();
  d.tolerance = c.choice.tolerance;
  d.accuracy = s.options.accuracy;
  d.memory = s.memory;
  d.frame = s.records.frame();
  if (d.nodes)
    d.shells = shellsFor(c, s.work, *s.risk, s.options.accuracy);
  // Where e L g exceeds its share of accuracy * max|F| (runtime/plan/errors/repair.cpp), max|F| as
  // expected: what a unit does must not depend on what others have found.
  if (mayRepair(c, s.precise, s.options))
    for (const Bin &bin : s.risk->bins())
      if (const double e = relativeError(c, bin, s.records) * termSize(c, bin); e > 0)
        d.repair.push_back({bin.key, modelShare * s.options.accuracy * bin.scale / e});
  if (c.units) {
    d.cut = c.units->cut;
    d.transforms = c.units->transforms;
    d.workers = c.units->workers;
    return d;
  }
  CutRules rules = cutRules(d.algorithm, c.variant, s.grid, s.kernel->fixed, s.size());
  if (s.options.whole)
    rules.records = rules.tunedRecords > 0 ? std::min(rules.tunedRecords, s.options.whole->block)
                                           : s.options.whole->block;
  d.cut = defaultCut(s.grid, s.size(), rules);
  return d;
}

bool Plan::follow(const Decision &d) {
  State &s = *state_;
  const auto isOf = [&](const Choice &c) {
    return c.refusal.empty() && c.algorithm == d.algorithm && c.grid == d.grid &&
           c.nodes == d.nodes &&
           (d.algorithm == FACET_NUFFT ? c.tolerance == d.tolerance : c.klass == d.klass);
  };
  if (s.small && !isOf(s.taken().choice)) {
    s.small = false;
    s.weigh();
  }
  for (std::size_t i = 0; i < s.all.size(); ++i) {
    if (isOf(s.all[i].choice)) {
      s.take(static_cast<int>(i));
      s.reason = "as planned before";
      return true;
    }
  }
  return false;
}

std::unique_ptr<Evaluator> Plan::evaluator(const Decision &d, std::shared_ptr<Slices> slices,
                                           int threads) {
  State &s = *state_;
  return std::make_unique<Evaluator>(s.kernel, d, std::move(slices), threads, s.queues.get(),
                                     s.queues ? &s.recorder : nullptr);
}

std::complex<double> *Plan::place() {
  state_->f.resize(static_cast<std::size_t>(state_->grid.size()));
  return state_->f.data();
}

void Plan::carried(const Carried &how) {
  state_->seconds = how.seconds;
  state_->repaired = how.repaired;
  state_->carried = {how.totals, how.device};
}

} // namespace facet::runtime
