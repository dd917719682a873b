// turns.cpp - phases in half turns, exponents in powers of two.
//
//   1. cos(a) becomes cospi(a/pi), sin(a) sinpi(a/pi), e^b exp2(b log2 e), e^b - 1 exp2m1(b log2
//      e): range reduction is then a rounding, without a multiplication.
//   2. The constant sinks into the phase: if that is linear in values of the record, into these,
//      and pack absorbs it; else into values without the record, outside the loop. It stops at
//      values that are needed as they are elsewhere.
//   3. Values of the record only are left as they are: pack computes them in double with <cmath>.
#include "passes.h"
#include "rewrite.h"
#include <numbers>

namespace facet::passes {

using namespace ir;

namespace {

struct Turned {
  Op op = Op::Number;
  double constant = 0; // 0: not an op of this pass
};

Turned turned(Op op) {
  switch (op) {
  case Op::Cos:
    return {Op::Cospi, std::numbers::inv_pi};
  case Op::Sin:
    return {Op::Sinpi, std::numbers::inv_pi};
  case Op::Exp:
    return {Op::Exp2, std::numbers::log2e};
  case Op::Expm1:
    return {Op::Exp2m1, std::numbers::log2e};
  default:
    return {};
  }
}

/// The values that something else than a sine or cosine (or than a power) needs as they are.
std::vector<bool> neededUnscaled(const Region &region) {
  std::vector<int> rest = useCounts(region);
  std::vector<double> constant(region.values.size());
  std::vector<bool> needed(region.values.size());
  for (const Value &value : region.values)
    if (const double k = turned(value.op).constant; k != 0) {
      const Id phase = value.args[0];
      needed[phase] = constant[phase] != 0 && constant[phase] != k;
      constant[phase] = k;
      --rest[phase];
    }
  for (std::size_t k = 0; k < rest.size(); ++k)
    needed[k] = needed[k] || rest[k] > (constant[k] != 0 ? 0 : 1);
  return needed;
}

} // namespace

void turns(Kernel &kernel, const Variant &) {
  const std::vector<bool> needed = neededUnscaled(kernel.term);
  std::set<Id> shared;
  std::map<double, Scale> scales; // phases shared by sine and cosine stay shared
  rebuildBy(kernel, kernel.term, [&](Builder &b) {
    return [&](const Value &value, Old old) {
      const auto [op, constant] = turned(value.op);
      Id made = -1;
      if (constant == 0 || recordOnly(value) || isComplex(value)) {
        made = b.copy(value);
      } else {
        const auto [scale, isNew] = scales.try_emplace(constant, b, b.number(constant), shared);
        made = b.op(op, scale->second.apply(value.args[0]));
      }
      if (needed[old.id])
        shared.insert(made);
      return made;
    };
  });
  prune(kernel.term);
}

} // namespace facet::passes
