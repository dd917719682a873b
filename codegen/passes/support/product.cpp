// product.cpp - where a factor sinks to.
#include "product.h"

namespace facet::passes {

using namespace ir;

/// A leaf of the search: `factor * value` is computed outside the loop over records. A factor of
/// the record is absorbed by values of the record only; a number by values without the record too.
bool Scale::absorbs(Id value) const {
  return recordOnly(b[value]) || (!ofRecord(b[value]) && !ofRecord(b[factor]));
}

bool Scale::isFree(Id id) const {
  const Value &value = b[id];
  if (absorbs(id))
    return true;
  if (shared.contains(id))
    return false;
  switch (value.op) {
  case Op::Add:
  case Op::Sub:
    return isFree(value.args[0]) && isFree(value.args[1]);
  case Op::Mul:
    return isFree(value.args[0]) || isFree(value.args[1]);
  case Op::Neg:
  case Op::Div:
  case Op::Widen:
  case Op::Narrow:
    return isFree(value.args[0]);
  default:
    return false;
  }
}

Id Scale::apply(Id value, double k) {
  if (const auto found = done.find({value, k}); found != done.end())
    return found->second;
  const Id made = make(value, k);
  done[{value, k}] = made;
  return made;
}

Id Scale::times(Id value, double k) {
  if (!isNumber(b[factor]))
    return b.op(Op::Mul, factor, value);
  const double number = k * b[factor].number;
  if (isNumber(b[value]))
    return b.number(number * b[value].number);
  return b.op(Op::Mul, b.number(number), value);
}

Id Scale::make(Id id, double k) {
  const Value value = b[id];
  if (absorbs(id) || shared.contains(id))
    return times(id, k);
  const auto [x, y, unused] = value.args;
  switch (value.op) {
  case Op::Add:
  case Op::Sub:
    // Where both addends would pay, pay once for the sum.
    if (isFree(x) || isFree(y)) {
      const Id left = apply(x, k);
      return b.op(value.op, left, apply(y, k));
    }
    return times(id, k);
  case Op::Mul: {
    if (isNumber(b[x]) && isNumber(b[factor]))
      return apply(y, k * b[x].number);
    // A record's own value is the best place, since pack stores the product.
    const auto rank = [&](Id operand) {
      return recordOnly(b[operand]) ? 3 : !isFree(operand) ? 0 : ofRecord(b[operand]) ? 2 : 1;
    };
    if (rank(x) == 0 && rank(y) == 0)
      return times(id, k);
    return rank(x) > rank(y) ? b.op(Op::Mul, apply(x, k), y) : b.op(Op::Mul, x, apply(y, k));
  }
  case Op::Neg:
    return isNumber(b[factor]) ? apply(x, -k) : b.op(Op::Neg, apply(x, k));
  case Op::Div:
    return isFree(x) ? b.op(Op::Div, apply(x, k), y) : times(id, k);
  case Op::Widen:
  case Op::Narrow:
    return isFree(x) ? b.op(value.op, apply(x, k)) : times(id, k);
  default:
    return times(id, k);
  }
}

} // namespace facet::passes
