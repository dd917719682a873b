// intervals.cpp - ends of values, by operation; |x|^2 of products and quotients from that of their
// factors, which a detour by real and imaginary parts would widen.
#include "intervals.h"
#include <algorithm>

namespace facet::passes {

using namespace ir;

bool Intervals::varies(Id id) {
  return remembered(varying, id, [&] {
    return (b[id].op == Op::Param && ranges.contains(b[id].name)) ||
           std::ranges::any_of(b[id].operands(), [&](Id arg) { return varies(arg); });
  });
}

// Conditions -----------------------------------------------------------------------------------

Intervals::Verdict Intervals::decide(Id id) {
  return remembered(decided, id,
                    [&] { return varies(id) ? decision(id) : Verdict{id, b.op(Op::Not, id)}; });
}

Intervals::Verdict Intervals::decision(Id id) {
  const Value value = b[id];
  if (value.op == Op::Not) {
    const auto [yes, no] = decide(value.args[0]);
    return {no, yes};
  }
  if (value.op == Op::And || value.op == Op::Or) {
    const Verdict x = decide(value.args[0]), y = decide(value.args[1]);
    const Op other = value.op == Op::And ? Op::Or : Op::And;
    return {b.op(value.op, x.yes, y.yes), b.op(other, x.no, y.no)};
  }
  return compared(value);
}

Intervals::Verdict Intervals::compared(const Value &value) {
  const Interval x = real(value.args[0]), y = real(value.args[1]);
  const Id valid = both(x.valid, y.valid);
  Verdict found{};
  if (value.op == Op::Less)
    found = {less(x.high, y.low), atMost(y.high, x.low)};
  else if (value.op == Op::LessEqual)
    found = {atMost(x.high, y.low), less(y.high, x.low)};
  else // equal
    found = {b.op(Op::And, atMost(x.high, y.low), atMost(y.high, x.low)),
             b.op(Op::Or, less(x.high, y.low), less(y.high, x.low))};
  return {both(valid, found.yes), both(valid, found.no)};
}

// Arithmetic -----------------------------------------------------------------------------------

Intervals::Interval Intervals::sum(Interval x, Interval y) {
  return {b.add(x.low, y.low), b.add(x.high, y.high), both(x.valid, y.valid)};
}

Intervals::Interval Intervals::hull(const std::vector<Id> &ends, Id valid) {
  Interval all{ends.front(), ends.front(), valid};
  for (std::size_t k = 1; k < ends.size(); ++k)
    all = {min(all.low, ends[k]), max(all.high, ends[k]), valid};
  return all;
}

Intervals::Interval Intervals::product(Interval x, Interval y) {
  const Id valid = both(x.valid, y.valid);
  std::vector<Id> ends{b.mul(x.low, y.low)};
  if (!x.isPoint())
    ends.push_back(b.mul(x.high, y.low));
  if (!y.isPoint())
    ends.push_back(b.mul(x.low, y.high));
  if (!x.isPoint() && !y.isPoint())
    ends.push_back(b.mul(x.high, y.high));
  return hull(ends, valid);
}

/// x / y, where y is a divisor that is not 0 within its range.
Intervals::Interval Intervals::quotient(Interval x, Interval y) {
  Id valid = both(x.valid, y.valid);
  std::vector<Id> ends{b.div(x.low, y.low)};
  if (!x.isPoint())
    ends.push_back(b.div(x.high, y.low));
  if (!y.isPoint()) {
    ends.push_back(b.div(x.low, y.high));
    valid = both(valid, b.op(Op::Or, less(b.number(0), y.low), less(y.high, b.number(0))));
  }
  if (!x.isPoint() && !y.isPoint())
    ends.push_back(b.div(x.high, y.high));
  return hull(ends, valid);
}

Intervals::Interval Intervals::squared(Interval x) {
  if (x.isPoint()) {
    const Id point = b.mul(x.low, x.low);
    return {point, point, x.valid};
  }
  const Id least = max(b.number(0), max(x.low, b.neg(x.high))), most = max(b.neg(x.low), x.high);
  return {b.mul(least, least), b.mul(most, most), x.valid};
}

/// The root of x, which is not negative.
Intervals::Interval Intervals::root(Interval x) {
  return mapped(Op::Sqrt, {max(b.number(0), x.low), max(b.number(0), x.high), x.valid});
}

Intervals::Interval Intervals::chosen(Verdict by, Interval x, Interval y) {
  const auto end = [&](Id left, Id right, Op either) {
    return b.select(by.yes, left, b.select(by.no, right, b.op(either, left, right)));
  };
  Id valid = -1;
  if (x.valid >= 0 || y.valid >= 0) {
    const Id all = both(x.valid, y.valid);
    const Id left = x.valid < 0 ? by.yes : both(by.yes, x.valid);
    const Id right = y.valid < 0 ? by.no : both(by.no, y.valid);
    valid = b.op(Op::Or, all, b.op(Op::Or, left, right));
  }
  return {end(x.low, y.low, Op::Min), end(x.high, y.high, Op::Max), valid};
}

// Values ---------------------------------------------------------------------------------------

/// z of re z re z + im z im z, as |z|^2 is written; -1: it is none.
Id Intervals::modulus(const Value &sum) const {
  const auto partOf = [&](Id id, Op part) {
    const Value &square = b[id];
    const bool is =
        square.op == Op::Mul && square.args[0] == square.args[1] && b[square.args[0]].op == part;
    return is ? b[square.args[0]].args[0] : -1;
  };
  const Id re = partOf(sum.args[0], Op::Re), im = partOf(sum.args[1], Op::Im);
  return re == im ? re : -1;
}

Intervals::Interval Intervals::real(Id id) {
  return remembered(reals, id, [&] { return varies(id) ? realOf(id) : Interval{id, id}; });
}

Intervals::Interval Intervals::realOf(Id id) {
  const Value value = b[id];
  const auto [x, y, z] = value.args;
  switch (value.op) {
  case Op::Param: {
    const Range &range = ranges.at(value.name);
    const Id low = b.param(range.low);
    return {low, b.param(range.high)};
  }
  case Op::Add: {
    const Id whole = modulus(value);
    return whole < 0 ? sum(real(x), real(y)) : square(whole);
  }
  case Op::Sub:
    return sum(real(x), negative(real(y)));
  case Op::Neg:
    return negative(real(x));
  case Op::Mul:
    return x == y ? squared(real(x)) : product(real(x), real(y));
  case Op::Div:
    return quotient(real(x), real(y));
  case Op::Min:
  case Op::Max: {
    const Interval left = real(x), right = real(y);
    return {b.op(value.op, left.low, right.low), b.op(value.op, left.high, right.high),
            both(left.valid, right.valid)};
  }
  case Op::Select:
    return chosen(decide(x), real(y), real(z));
  case Op::Re:
    return complex(x).re;
  case Op::Im:
    return complex(x).im;
  default:
    return functionOf(id);
  }
}

Intervals::Interval Intervals::functionOf(Id id) {
  const Value value = b[id];
  const Id x = value.args[0], y = value.args[1];
  switch (value.op) {
  case Op::Norm2:
    return square(x);
  case Op::Abs: {
    if (isComplex(b[x]))
      return root(square(x));
    const Interval of = real(x);
    const Id least = max(b.number(0), max(of.low, b.neg(of.high)));
    return {least, max(b.neg(of.low), of.high), of.valid};
  }
  case Op::Sqrt:
  case Op::Log: {
    const Interval of = real(x);
    const Op least = value.op == Op::Sqrt ? Op::LessEqual : Op::Less;
    return mapped(value.op, {of.low, of.high, both(of.valid, b.op(least, b.number(0), of.low))});
  }
  case Op::Pow: { // of positive numbers
    const Interval of = real(x);
    const bool grows = b[y].number >= 0;
    return {b.op(value.op, grows ? of.low : of.high, y),
            b.op(value.op, grows ? of.high : of.low, y), both(of.valid, less(b.number(0), of.low))};
  }
  case Op::Exp:
  case Op::Expm1:
  case Op::Erf:
    return mapped(value.op, real(x));
  case Op::Erfc: {
    const Interval of = mapped(value.op, real(x));
    return {of.high, of.low, of.valid};
  }
  case Op::Sin:
  case Op::Cos:
  case Op::Sinc:
    return {b.number(-1), b.number(1), real(x).valid};
  default:
    throw Unknown{id};
  }
}

Intervals::Parts Intervals::complex(Id id) {
  return remembered(complexes, id, [&] {
    if (!isComplex(b[id])) {
      const Id zero = b.number(0);
      return Parts{real(id), {zero, zero}};
    }
    if (varies(id))
      return complexOf(id);
    const Id re = b.op(Op::Re, id), im = b.op(Op::Im, id);
    return Parts{{re, re}, {im, im}};
  });
}

Intervals::Parts Intervals::complexOf(Id id) {
  const Value value = b[id];
  const auto [x, y, z] = value.args;
  switch (value.op) {
  case Op::Complex:
    return {real(x), real(y)};
  case Op::Neg:
    return {negative(complex(x).re), negative(complex(x).im)};
  case Op::Conj:
    return {complex(x).re, negative(complex(x).im)};
  case Op::Add:
  case Op::Sub: {
    const Parts left = complex(x), right = complex(y);
    const auto signedOf = [&](Interval of) { return value.op == Op::Sub ? negative(of) : of; };
    return {sum(left.re, signedOf(right.re)), sum(left.im, signedOf(right.im))};
  }
  case Op::Mul: {
    const Parts left = complex(x), right = complex(y);
    return {sum(product(left.re, right.re), negative(product(left.im, right.im))),
            sum(product(left.re, right.im), product(left.im, right.re))};
  }
  case Op::Select: {
    const Verdict by = decide(x);
    return {chosen(by, complex(y).re, complex(z).re), chosen(by, complex(y).im, complex(z).im)};
  }
  default: { // within a circle
    const Interval size = square(id);
    const Id most = b.op(Op::Sqrt, max(b.number(0), size.high));
    const Interval part{b.neg(most), most, size.valid};
    return {part, part};
  }
  }
}

Intervals::Interval Intervals::square(Id id) {
  return remembered(squares, id, [&] {
    if (varies(id))
      return squareOf(id);
    const Id point = b.squaredModulus(id);
    return Interval{point, point};
  });
}

Intervals::Interval Intervals::squareOf(Id id) {
  const Value value = b[id];
  const auto [x, y, z] = value.args;
  if (!isComplex(value))
    return squared(real(id));
  switch (value.op) {
  case Op::Neg:
  case Op::Conj:
    return square(x);
  case Op::Mul:
    return product(square(x), square(y));
  case Op::Div:
    return quotient(square(x), square(y));
  case Op::Select:
    return chosen(decide(x), square(y), square(z));
  case Op::Csqrt:
    return root(square(x));
  case Op::Exp: {
    const Interval re = complex(x).re;
    return mapped(Op::Exp, sum(re, re));
  }
  case Op::Cis: {
    const Interval im = complex(x).im;
    return mapped(Op::Exp, negative(sum(im, im)));
  }
  case Op::Complex:
  case Op::Add:
  case Op::Sub: {
    const Parts parts = complex(id);
    return sum(squared(parts.re), squared(parts.im));
  }
  default:
    throw Unknown{id};
  }
}

// Choices --------------------------------------------------------------------------------------

std::map<std::string, Intervals::Range> rangesOf(const Kernel &kernel) {
  std::map<std::string, Intervals::Range> ranges;
  std::size_t at = kernel.params.size() - 2 * kernel.scalars.outputs.size();
  for (const Output &u : kernel.scalars.outputs) {
    ranges[u.name] = {kernel.params[at].name, kernel.params[at + 1].name};
    at += 2;
  }
  return ranges;
}

std::set<Id> conditionsOf(Formulas &b, const Region &term, Intervals &intervals) {
  std::set<Id> seen, conditions;
  std::vector<Id> next;
  for (const Output &output : term.outputs)
    next.push_back(output.value);
  while (!next.empty()) {
    const Id id = next.back();
    next.pop_back();
    if (!seen.insert(id).second)
      continue;
    const Value value = b[id];
    const auto [x, y, unused] = value.args;
    const std::span<const Id> operands = value.operands();
    next.insert(next.end(), operands.begin() + (value.op == Op::Select ? 1 : 0), operands.end());
    const auto splits = [&](Id of) { return recordOnly(b[of]) && intervals.varies(of); };
    if (value.op == Op::Select && splits(x)) // one of scalars alone is no matter of records
      conditions.insert(x);
    if ((value.op == Op::Min || value.op == Op::Max) && splits(id))
      conditions.insert(b.op(Op::Less, x, y));
    if (value.op == Op::Abs && !isComplex(b[x]) && splits(id))
      conditions.insert(b.op(Op::Less, x, b.number(0)));
  }
  return conditions;
}

} // namespace facet::passes
