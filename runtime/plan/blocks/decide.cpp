// decide.cpp - from the choice a plan has taken to a Decision.
#include "runtime/plan/blocks/decision.h"
#include "runtime/plan/state.h"

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
  d.cut = defaultCut(s.grid, s.records.size(),
                     cutRules(d.algorithm, c.variant, s.grid, s.kernel->fixed, s.records.size()));
  return d;
}

} // namespace facet::runtime
