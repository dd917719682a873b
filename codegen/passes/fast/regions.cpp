// regions.cpp - values copied to other regions; totals moved, the sum in finish replaced.
#include "regions.h"
#include <fmt/format.h>

namespace facet::passes {

using namespace ir;

Id Copier::operator()(Id id) {
  if (const auto found = copied.find(id); found != copied.end())
    return found->second;
  Value value = at(from, id);
  for (int k = 0; k < info(value.op).arity; ++k)
    value.args[static_cast<std::size_t>(k)] = (*this)(value.args[static_cast<std::size_t>(k)]);
  to.loc = value.loc;
  return copied[id] = to.copy(std::move(value));
}

std::vector<Id> moveTotals(Kernel &kernel, const std::vector<Pairing> &totals, Products &products) {
  std::vector<Id> lefts, rights;
  for (const Pairing &pair : totals) {
    lefts.push_back(products.value(pair.left));
    rights.push_back(products.value(pair.right));
  }
  kernel.totals = {};
  Builder to(kernel, kernel.totals);
  Copier copy(kernel.term, to);
  for (std::size_t k = 0; k < rights.size(); ++k)
    kernel.totals.outputs.push_back({fmt::format("b{}", k), copy(rights[k])});
  return lefts;
}

void replaceSum(Kernel &kernel, const std::function<Id(Builder &, Copier &, Id)> &make) {
  const Region term = kernel.term;
  rebuild(kernel, kernel.finish, [&](Builder &b, const Value &value) {
    if (value.op != Op::Sum)
      return b.copy(value);
    Copier copy(term, b);
    return make(b, copy, b.copy(value));
  });
  prune(kernel.finish);
}

} // namespace facet::passes
