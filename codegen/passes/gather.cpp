// gather.cpp - factors of the record alone meet: a * (x * b + y * c) = x * (a * b) + y * (a * c).
//
//   1. In each product of a value of the record only and a mixed one, used nowhere else, see
//      whether every addend of the mixed one has a factor of the record of its own.
//   2. If so the first sinks into those factors, where pack absorbs it: `area * dot(q, normal)`
//      streams three numbers a record, not four, and saves the multiplication.
#include "rewrite.h"

namespace facet::passes {

using namespace ir;

namespace {

/// The product of operands `factor` and `other` with the first sunk into the second, or -1.
Id sunk(Builder &b, const std::set<Id> &shared, Id factor, Id other) {
  if (!recordOnly(b[factor]) || !ofRecord(b[other]) || recordOnly(b[other]))
    return -1;
  Scale scale(b, factor, shared);
  return scale.isFree(other) ? scale.apply(other) : -1;
}

} // namespace

void gather(Kernel &kernel, const Variant &) {
  const std::vector<int> uses = useCounts(kernel.term);
  std::set<Id> shared;
  rebuildBy(kernel, kernel.term, [&](Builder &b) {
    return [&](const Value &value, Old old) {
      Id made = -1;
      if (value.op == Op::Mul)
        made = sunk(b, shared, value.args[0], value.args[1]);
      if (value.op == Op::Mul && made < 0)
        made = sunk(b, shared, value.args[1], value.args[0]);
      if (made < 0)
        made = b.copy(value);
      if (uses[old.id] > 1)
        shared.insert(made);
      return made;
    };
  });
  prune(kernel.term);
}

} // namespace facet::passes
