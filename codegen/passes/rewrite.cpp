// rewrite.cpp - what passes share: copying and dropping values, products and where a factor sinks.
#include "rewrite.h"

namespace facet::passes {

using namespace ir;

Id Copier::operator()(Id id) {
  return remembered(copied, id, [&] {
    Value value = from[id];
    for (Id &arg : value.operands())
      arg = (*this)(arg);
    to.loc = value.loc;
    return to.copy(std::move(value));
  });
}

void prune(Region &region) {
  std::vector<bool> needed(region.values.size());
  for (const Output &output : region.outputs)
    needed[output.value] = true;
  for (auto id = static_cast<Id>(region.values.size()); id-- > 0;)
    if (needed[id])
      for (const Id arg : region[id].operands())
        needed[arg] = true;

  std::vector<Id> renamed(region.values.size(), -1);
  std::vector<Value> kept;
  for (Id id = 0; id < std::ssize(needed); ++id) {
    if (!needed[id])
      continue;
    renamed[id] = static_cast<Id>(kept.size());
    kept.push_back(std::move(region[id]));
    for (Id &arg : kept.back().operands())
      arg = renamed[arg];
  }
  region.values = std::move(kept);
  for (Output &output : region.outputs)
    output.value = renamed[output.value];
}

std::vector<int> useCounts(const Region &region) {
  std::vector<int> uses(region.values.size());
  for (const Value &value : region.values)
    for (const Id arg : value.operands())
      ++uses[arg];
  for (const Output &output : region.outputs)
    ++uses[output.value];
  return uses;
}

Id whole(Builder &b, Id id) {
  if (!isComplex(b[id]) || b[id].op == Op::Axis)
    return id;
  const Id re = b.op(Op::Re, id);
  return b.op(Op::Complex, re, b.op(Op::Im, id));
}

Id times(Builder &b, Id x, Id y) {
  return x < 0 || isNumber(b[x], 1) ? y : isNumber(b[y], 1) ? x : b.op(Op::Mul, x, y);
}

Id plus(Builder &b, Id x, Id y) { return x < 0 ? y : b.op(Op::Add, x, y); }

Id horner(Builder &b, const std::vector<double> &coefficients, Id x) {
  Id sum = b.number(coefficients.back());
  for (std::size_t k = coefficients.size() - 1; k-- > 0;)
    sum = b.op(Op::Add, b.op(Op::Mul, sum, x), b.number(coefficients[k]));
  return sum;
}

Id mulAdd(Builder &b, Id x, Id y, Id c) {
  const auto mul = [&](Id u, Id v) { return b.op(Op::Mul, u, v); };
  if (!isComplex(b[x]))
    std::swap(x, y);
  if (!isComplex(b[x]))
    return b.op(Op::Add, c, mul(x, y));
  const auto part = [&](Op op, Id id) { return b.op(op, id); };
  const Id re = part(Op::Re, x), im = part(Op::Im, x), cr = part(Op::Re, c), ci = part(Op::Im, c);
  if (!isComplex(b[y])) {
    const Id sum = b.op(Op::Add, cr, mul(re, y));
    return b.op(Op::Complex, sum, b.op(Op::Add, ci, mul(im, y)));
  }
  const Id yr = part(Op::Re, y), yi = part(Op::Im, y);
  const Id sum = b.op(Op::Sub, b.op(Op::Add, cr, mul(re, yr)), mul(im, yi));
  const Id other = b.op(Op::Add, ci, mul(re, yi));
  return b.op(Op::Complex, sum, b.op(Op::Add, other, mul(im, yr)));
}

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
  return remembered(done, {value, k}, [&] { return make(value, k); });
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
    // If both addends would cost a product, multiply their sum instead.
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
