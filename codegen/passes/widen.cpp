// widen.cpp - what is formed in double beside a sum in single precision.
//
//   The careful class (pass widen): phases and exponents. Other classes: nothing.
//
//   1. The arguments of sinpi, cospi, sincpi, exp2 and exp2m1 that mix record and axes are wanted
//      in double, and so is what mean_cis asks for by `widen`. With them the sums, products, signs
//      and selects they are made of. So are sums of what is of q alone with what is of the record
//      alone: q.x - t.e, next to a pole, would be left with the rounding of q.x. So are sums of
//      their products where the term is steep: q.x * t.c - t.d in a denominator or an exponent.
//      Conditions ask by `widen`, too (expand): both sides are compared in double.
//   2. These are built in double: sinpi(a) becomes narrow(sinpi(wide a)), which math reduces in
//      double. Other users of such a value get it rounded from double, never computed again:
//      sin(a)/a needs the same a twice.
//   3. What depends on the record only becomes `widen` of it: pack makes a column of doubles.
//      Values without the record are wide from the axes up: lowering reads axes as doubles there.
//   4. If an argument holds a mixed value of another kind (a quotient, a function), double would
//      add nothing to its error in single precision: it stays as it is.
//
//   Otherwise single precision loses eps * |a|, 6e-5 of a radian at |a| = 1000.
//
//   Separable sums, f32 (pass widenTables): tables are formed in double, rounded where they are
//   read.
//   1. What the inner loop computes, and what has no t, stays in single precision.
//   2. A table (of t and some axes) is made of doubles, from the record's columns and the axes
//      as far as `narrow` where the inner loop reads it. (The pass math then takes sines and
//      exponentials of phases reduced in double in single precision.)
//   3. What the inner loop reads of the record alone is rounded when it is packed.
//   So phases carry no error of single precision: the error of a term does not grow with |q.r|.
#include "known.h"
#include "rewrite.h"
#include <algorithm>
#include <utility>

namespace facet::passes {

using namespace ir;

namespace {

bool isReduced(Op op) {
  return op == Op::Sinpi || op == Op::Cospi || op == Op::Sincpi || op == Op::Exp2 ||
         op == Op::Exp2m1;
}

/// The operands that must be in double for the value to be, as [first, last); none: it cannot.
using Operands = std::pair<std::size_t, std::size_t>;
Operands wideOperands(const Value &value) {
  switch (value.op) {
  case Op::Neg:
  case Op::Abs:
  case Op::Narrow:
  case Op::Widen:
    return {0, 1};
  case Op::Add:
  case Op::Sub:
  case Op::Mul:
    return {0, 2};
  case Op::Select:
    return {1, 3};
  case Op::Div:
  case Op::Sqrt:
    return {0, isMixed(value) ? 0 : info(value.op).arity};
  default:
    return {0, 0};
  }
}

/// Sums of a term that may cancel, so that F has what single precision rounds of their summands.
/// They join values of q alone with values of the record alone, or, where the term is steep, their
/// products: in denominators, roots, logarithms and tests, and squared in exponents. Left out are
/// what phases and exponents are linear in, whose errors the class states, and sums of what has one
/// sign.
class Cancellation {
public:
  explicit Cancellation(const Kernel &kernel)
      : triangle(kernel.triangle), term(kernel.term), copy(term), b(kernel, copy),
        known(b, signsOfColumns(kernel)), sides(size()), polynomial(size()), steep(size()),
        phase(size()), plain(size()) {
    for (std::size_t id = 0; id < size(); ++id) {
      sides[id] = isSum(term.values[id]) && allOf(term.values[id], sides);
      polynomial[id] = isPolynomial(term.values[id]) && allOf(term.values[id], polynomial);
    }
    for (const Output &output : term.outputs)
      plain[output.value] = true;
    for (std::size_t id = size(); id-- > 0;) // users before operands
      for (std::size_t k = 0; k < term.values[id].operands().size(); ++k)
        tell(static_cast<Id>(id), k);
    for (std::size_t id = 0; id < size(); ++id) // operands before users
      phase[id] = phase[id] || isOfPhases(term.values[id]);
  }

  bool at(std::size_t id) {
    const Value &value = term.values[id];
    return (sides[id] || (steep[id] && !phase[id] && polynomial[id] && isSum(value))) &&
           mayCancel(static_cast<Id>(id));
  }

  /// Whether only waves and what is as gentle are made of it.
  bool isSmoothed(std::size_t id) const { return !plain[id]; }

private:
  bool triangle;
  const Region &term;
  Region copy; // what `b` would add to
  Builder b;
  ValueFacts known;
  std::vector<bool> sides, polynomial, steep;
  std::vector<bool> phase; // what waves and exponentials are linear in
  std::vector<bool> plain; // what something else is made of than waves and what is as gentle

  /// The signs of packed columns, after the pass pack.
  static ValueFacts::Signs signsOfColumns(const Kernel &kernel) {
    Region pack = kernel.pack;
    Builder b(kernel, pack);
    ValueFacts known(b);
    ValueFacts::Signs signs;
    for (const Output &output : kernel.pack.outputs)
      signs[output.name] = known.sign(output.value);
    return signs;
  }

  std::size_t size() const { return term.values.size(); }
  static bool isSum(const Value &value) {
    return isMixed(value) && (value.op == Op::Add || value.op == Op::Sub || value.op == Op::Fma);
  }
  static bool isPolynomial(const Value &value) {
    return isSum(value) || value.op == Op::Mul || value.op == Op::Neg;
  }
  bool allOf(const Value &value, const std::vector<bool> &are) const {
    return std::ranges::all_of(value.operands(),
                               [&](Id id) { return !isMixed(term[id]) || are[id]; });
  }

  /// Sums of phases, as of two corners, have errors as phases have.
  bool isOfPhases(const Value &value) const {
    return isSum(value) && std::ranges::all_of(value.operands(), [&](Id id) {
             return phase[id] || isNumber(term[id]);
           });
  }

  /// Summands of one sign take nothing from one another.
  bool mayCancel(Id id) {
    const ValueFacts::Sign sign = known.sign(id);
    return sign.negative && sign.positive;
  }

  /// What a value is to its operand k.
  void tell(Id id, std::size_t k) {
    const Value &value = term[id];
    const Id operand = value.args[k];
    const bool wave =
        isReduced(value.op) || value.op == Op::HardwareExp2 || value.op == Op::Round; // by math
    if (wave || (phase[id] && passes(value, k) && !isProduct(value)))
      phase[operand] = true;
    if (wave || isSteep(value.op, k) || (steep[id] && passes(value, k)))
      steep[operand] = true;
    if (!isGentle(value) && (plain[id] || !passes(value, k) || isProduct(value)))
      plain[operand] = true;
  }
  /// Triangles have a known size. Their waves are gentle, and so is erf(q.z + t.c), which is no
  /// steeper than a phase q.z + t.c. (q.z - t.c) / t.w may be as steep as a step, at few q.
  bool isGentle(const Value &value) const {
    const bool isWave = value.op == Op::Sinpi || value.op == Op::Cospi || value.op == Op::Sincpi;
    const bool isErf = value.op == Op::Erf || value.op == Op::Erfc;
    return triangle && (isWave || (isErf && isSum(term[value.args[0]]) &&
                                   std::ranges::all_of(term[value.args[0]].operands(), [&](Id id) {
                                     return recordOnly(term[id]) || term[id].op == Op::Axis;
                                   })));
  }
  /// Whether what is true of a value is true of its operand k.
  static bool passes(const Value &value, std::size_t k) {
    switch (value.op) {
    case Op::Narrow:
    case Op::Abs:
    case Op::Min:
    case Op::Max:
      return true;
    case Op::Div:
      return k == 0;
    case Op::Select:
      return k > 0;
    default:
      return isPolynomial(value);
    }
  }
  /// A product of two values that are mixed.
  bool isProduct(const Value &value) const {
    return (value.op == Op::Mul || value.op == Op::Fma) && isMixed(term[value.args[0]]) &&
           isMixed(term[value.args[1]]);
  }
  static bool isSteep(Op op, std::size_t k) {
    switch (op) {
    case Op::Div:
      return k == 1;
    case Op::Sqrt:
    case Op::Log:
    case Op::Exponent2:
    case Op::Mantissa2:
    case Op::Pow:
    case Op::Atan2:
    case Op::Less:
    case Op::LessEqual:
    case Op::Equal:
      return true;
    default:
      return false;
    }
  }
};

/// Step 1: which mixed values of the term are to be formed in double.
std::vector<bool> wantedInDouble(const Kernel &kernel) {
  const Region &term = kernel.term;
  std::vector<bool> can(term.values.size()), wanted(can.size());
  Cancellation cancelling(kernel);
  for (std::size_t id = 0; id < can.size(); ++id) {
    const Value &value = term.values[id];
    const auto [first, last] = wideOperands(value);
    can[id] = !isMixed(value) || first < last;
    for (std::size_t k = first; k < last; ++k)
      can[id] = can[id] && (!isMixed(value) || can[value.args[k]]);
  }
  for (std::size_t id = wanted.size(); id-- > 0;) { // users before operands
    const Value &value = term.values[id];
    wanted[id] = wanted[id] || (can[id] && cancelling.at(id));
    const bool asks =
        (isReduced(value.op) || value.op == Op::Widen) && isMixed(value) && can[value.args[0]];
    const auto [first, last] = wanted[id] ? wideOperands(value) : Operands{0, asks ? 1 : 0};
    for (std::size_t k = first; k < last; ++k)
      if (isMixed(term[value.args[k]]))
        wanted[value.args[k]] = true;
  }
  return wanted;
}

/// Values of an old region in a new one, in single precision or double, each made once.
class Widener {
public:
  /// `inDouble`: what is formed in double; with `tables` all that it needs, of any op.
  Widener(const Region &old, Formulas &builder, std::vector<bool> inDouble, bool tables)
      : old(old), b(builder), inDouble(std::move(inDouble)), tables(tables) {}

  /// The value as single precision reads it.
  Id narrow(Id id) {
    return remembered(narrowed, id, [&] {
      const Value &value = old[id];
      const Id arg = value.args[0];
      b.loc = value.loc;
      if (!tables && value.type == Type::Bool)
        return decided(value);
      if (inDouble[id])
        return b.op(Op::Narrow, wide(id));
      if (!tables && isReduced(value.op) && inDouble[arg])
        return b.op(Op::Narrow, b.op(value.op, wide(arg)));
      if (!tables && value.op == Op::Widen && inDouble[arg])
        return wide(arg);
      return again(value, 0, 0);
    });
  }

private:
  const Region &old;
  Formulas &b;
  std::vector<bool> inDouble;
  bool tables;
  std::map<Id, Id> narrowed, widened;

  Id wide(Id id) {
    return remembered(widened, id, [&] {
      const Value &value = old[id];
      b.loc = value.loc;
      if (isNumber(value) || (!tables && !inDouble[id] && value.type == Type::Wide))
        return narrow(id);
      const auto [first, last] = tables ? Operands{0, 3} : wideOperands(value);
      const bool isSource = value.type != Type::Bool && (recordOnly(value) || isLeaf(value.op));
      return isSource || first == last ? b.op(Op::Widen, narrow(id)) : again(value, first, last);
    });
  }

  /// A condition; what it compares by `widen` in double, if it can be.
  Id decided(Value value) {
    for (Id &arg : value.operands()) {
      const Value &side = old[arg];
      const bool can = side.op == Op::Widen && (!isMixed(side) || inDouble[side.args[0]]);
      arg = can ? wide(side.args[0]) : narrow(arg);
    }
    return b.copy(std::move(value));
  }

  /// The same op, these operands in double. What only rounds or widens is left out.
  Id again(Value value, std::size_t first, std::size_t last) {
    for (std::size_t k = 0; k < value.operands().size(); ++k)
      value.args[k] = first <= k && k < last ? wide(value.args[k]) : narrow(value.args[k]);
    const bool converts = value.op == Op::Narrow || value.op == Op::Widen;
    return converts && first < last && !tables ? value.args[0] : b.copy(std::move(value));
  }
};

/// Whether it is a condition of q and the record that asks for double, and has not got it.
bool decidesInSingle(const Region &term, const Value &value) {
  return value.type == Type::Bool && std::ranges::any_of(value.operands(), [&](Id id) {
           const Value &side = term[id];
           return side.op == Op::Widen && isMixed(value) && !isLeaf(term[side.args[0]].op);
         });
}

} // namespace

bool cancelsInSingle(const Kernel &kernel) {
  Cancellation cancelling(kernel);
  for (std::size_t id = 0; id < kernel.term.values.size(); ++id)
    if (const Value &value = kernel.term.values[id];
        decidesInSingle(kernel.term, value) ||
        (value.type == Type::Real && !cancelling.isSmoothed(id) && cancelling.at(id)))
      return true;
  return false;
}

bool decidesInSingle(const Kernel &kernel) {
  return std::ranges::any_of(
      kernel.term.values, [&](const Value &value) { return decidesInSingle(kernel.term, value); });
}

void widen(Kernel &kernel, const Variant &variant) {
  if (variant.klass != Class::F32Careful)
    return;
  Rewriter to(kernel, kernel.term);
  Widener widener(kernel.term, to.b, wantedInDouble(kernel), false);
  to.run([&](const Value &, Id id) { return widener.narrow(id); });
}

void widenTables(Kernel &kernel, const Variant &variant) {
  if (variant.klass == Class::F64)
    return;
  Region result;
  Formulas b(kernel, result);
  std::vector<bool> inTables;
  for (const Value &value : kernel.term.values)
    inTables.push_back(value.type != Type::Bool && isMixed(value) && !isInner(value) &&
                       !isLeaf(value.op)); // columns with an axis are in double as they are read
  Widener tables(kernel.term, b, std::move(inTables), true);
  for (const Output &output : kernel.term.outputs)
    result.outputs.push_back({output.name, tables.narrow(output.value)});
  kernel.term = std::move(result);
}

} // namespace facet::passes
