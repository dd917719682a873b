// cse.cpp - the same value once; values that nothing needs are dropped.
//
//   1. Values are taken in order, operands already renamed.
//   2. Each gets a key: op, operands (sorted if the op commutes) and what a leaf names.
//   3. A key seen before: the earlier value stands for this one. Else it is kept.
//   4. What no output needs is dropped.
#include "rewrite.h"
#include <algorithm>
#include <bit>
#include <map>
#include <tuple>

namespace facet::passes {

using namespace ir;

namespace {

using Key = std::tuple<Op, std::array<Id, 3>, std::uint64_t, std::string, int, Part>;

Key keyOf(const Value &value) {
  std::array<Id, 3> args = value.args;
  std::fill(args.begin() + info(value.op).arity, args.end(), -1);
  if (info(value.op).is(Commutes) && args[0] > args[1])
    std::swap(args[0], args[1]);
  // Bits, not ==: -0 and 0 differ, a NaN is itself.
  const auto bits = isNumber(value) ? std::bit_cast<std::uint64_t>(value.number) : 0;
  return {value.op, args, bits, value.name, value.component, value.part};
}

} // namespace

void cse(Kernel &kernel, const Variant &) {
  for (Region *region : regionsOf(kernel)) {
    prune(*region); // before too: a dropped value may be all that would keep two others apart
    std::map<Key, Id> seen;
    rebuild(kernel, *region, [&](Builder &builder, const Value &value) {
      return remembered(seen, keyOf(value), [&] { return builder.copy(value); });
    });
    prune(*region);
  }
}

} // namespace facet::passes
