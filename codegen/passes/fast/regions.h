// regions.h - what separate and transform do to the regions around the term.
#pragma once
#include "codegen/passes/forms/shapes.h"

namespace facet::passes {

/// Copies values of a region, with what they need, to others.
class Copier {
public:
  Copier(const ir::Region &from, ir::Builder &to) : from(from), to(to) {}
  ir::Id operator()(ir::Id id);

private:
  const ir::Region &from;
  ir::Builder &to;
  std::map<ir::Id, ir::Id> copied;
};

/// Products of q-only and t-only factors leave the term: their records' sums go to `totals` of the
/// kernel (b0, b1, ..). Returns what finish is to add: the left values, in kernel.term.
std::vector<ir::Id> moveTotals(ir::Kernel &kernel, const std::vector<Pairing> &totals,
                               Products &products);
/// Puts a value made by `make` in the place of `sum` in finish.
void replaceSum(ir::Kernel &kernel,
                const std::function<ir::Id(ir::Builder &, Copier &, ir::Id sum)> &make);

} // namespace facet::passes
