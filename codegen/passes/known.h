// known.h - what the structure of a value says of its numbers: its sign, and that it is finite.
#pragma once
#include "rewrite.h"
#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <utility>

namespace facet::passes {

/// Answers are remembered: a value that is an operand often is looked at once.
class ValueFacts {
public:
  /// What a real can be, NaN apart.
  struct Sign {
    bool negative = true, zero = true, positive = true;
  };
  using Signs = std::map<std::string, Sign>;

  /// `packed`: of packed columns, by their names.
  explicit ValueFacts(const ir::Builder &builder, Signs packed = {})
      : b(builder), packed(std::move(packed)) {}

  /// Finite wherever its inputs are, made by ops that do not divide by what may vanish or grow
  /// exponentially. The sum is no input: it may have overflowed.
  bool finite(ir::Id id) {
    return remembered(finites, id, [&] { return isFinite(b[id]); });
  }

  Sign sign(ir::Id id) {
    return remembered(signs, id, [&] { return signOf(b[id]); });
  }
  bool nonNegative(ir::Id id) { return !sign(id).negative; }

private:
  using Op = ir::Op;
  const ir::Builder &b;
  Signs packed;
  std::map<ir::Id, bool> finites;
  std::map<ir::Id, Sign> signs;

  bool allFinite(const ir::Value &value, std::size_t first = 0) {
    return std::ranges::all_of(value.operands().subspan(first),
                               [&](ir::Id id) { return finite(id); });
  }

  bool isFinite(const ir::Value &value) {
    const ir::Id a = value.args[0];
    switch (value.op) {
    case Op::Number:
      return std::isfinite(value.number);
    case Op::Sum:
    case Op::Total:
    case Op::Rest:
      return false;
    case Op::Exp:
      return !isComplex(b[a]) && finite(a) && !sign(a).positive;
    case Op::Sqrt:
      return finite(a) && nonNegative(a);
    case Op::Div:
      return allFinite(value) && !isComplex(b[value.args[1]]) && !sign(value.args[1]).zero &&
             !sign(value.args[1]).negative;
    case Op::Select:
      return allFinite(value, 1);
    default:
      return isLeaf(value.op) ||
             (allFinite(value) && (info(value.op).is(ir::Total) ||
                                   (info(value.op).is(ir::TotalOnReals) && !isComplex(b[a]))));
    }
  }

  Sign signOf(const ir::Value &value) {
    if (isComplex(value) || isVector(value))
      return {};
    const auto arg = [&](std::size_t k) { return sign(value.args[k]); };
    switch (value.op) {
    case Op::Number:
      return {value.number < 0, value.number == 0, value.number > 0};
    case Op::Abs:
    case Op::Sqrt:
    case Op::Exp: // may have underflowed
    case Op::Pow: // of what is not negative, where the exponent is no integer
    case Op::Erfc:
      return {false, true, true};
    case Op::Packed:
      return packed.contains(value.name) ? packed.at(value.name) : Sign();
    case Op::Widen:
      return arg(0);
    case Op::Narrow: // may underflow
      return {arg(0).negative, true, arg(0).positive};
    case Op::Neg:
      return {arg(0).positive, arg(0).zero, arg(0).negative};
    case Op::Add:
      return sum(arg(0), arg(1));
    case Op::Sub:
      return sum(arg(0), {arg(1).positive, arg(1).zero, arg(1).negative});
    case Op::Mul:
      return multiplied(value.args[0], value.args[1]);
    case Op::Fma:
      return sum(multiplied(value.args[0], value.args[1]), arg(2));
    case Op::Div:
      return product(arg(0), arg(1));
    case Op::Select:
      return either(arg(1), arg(2));
    case Op::Min:
    case Op::Max:
      return either(arg(0), arg(1));
    default:
      return {};
    }
  }

  /// A square is not negative, its factors one beside the other or not: -2 * x * x is (-2 * x) * x.
  Sign multiplied(ir::Id x, ir::Id y) {
    constexpr Sign square{false, true, true};
    if (x == y)
      return square;
    for (const auto &[factor, other] : {std::pair(x, y), std::pair(y, x)}) {
      const ir::Value &inner = b[factor];
      if (inner.op == Op::Mul && (inner.args[0] == other || inner.args[1] == other))
        return product(square, sign(inner.args[inner.args[0] == other ? 1 : 0]));
    }
    return product(sign(x), sign(y));
  }

  static Sign either(Sign x, Sign y) {
    return {x.negative || y.negative, x.zero || y.zero, x.positive || y.positive};
  }
  static Sign sum(Sign x, Sign y) {
    const bool negative = x.negative || y.negative, positive = x.positive || y.positive;
    return {negative, (negative && positive) || (x.zero && y.zero), positive};
  }
  /// Zero is possible always: a product may underflow.
  static Sign product(Sign x, Sign y) {
    return {(x.negative && y.positive) || (x.positive && y.negative), true,
            (x.negative && y.negative) || (x.positive && y.positive)};
  }
};

} // namespace facet::passes
