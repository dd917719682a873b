// widen.cpp - what is formed in double beside a sum in single precision.
//
//   The careful class (pass widen): phases and exponents. Other classes: nothing.
//
//   1. The arguments of sinpi, cospi, exp2 and exp2m1 that mix record and axes are wanted in
//      double, and so is what mean_cis asks for by `widen`; with them the sums, products, signs and
//      selects they are made of.
//   2. These are built in double: sinpi(a) becomes narrow(sinpi(wide a)), which math reduces in
//      double. Other users of such a value get it rounded from double, never computed again:
//      sin(a)/a needs the same a twice.
//   3. What depends on the record only becomes `widen` of it: pack makes a column of doubles.
//      Values without the record are wide from the axes up: lowering reads axes as doubles there.
//   4. If an argument holds a mixed value of another kind (a quotient, a function), double would
//      add nothing to its error in single precision: it stays as it is.
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
#include "rewrite.h"
#include <algorithm>
#include <utility>

namespace facet::passes {

using namespace ir;

namespace {

bool isReduced(Op op) {
  return op == Op::Sinpi || op == Op::Cospi || op == Op::Exp2 || op == Op::Exp2m1;
}

/// The operands that must be in double for the value to be, as [first, last); none: it cannot.
std::pair<std::size_t, std::size_t> wideOperands(const Value &value) {
  switch (value.op) {
  case Op::Neg:
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
  case Op::Abs:
    return {0, isMixed(value) ? 0 : info(value.op).arity};
  default:
    return {0, 0};
  }
}

/// Step 1: which mixed values of the region are to be formed in double.
class Wanted {
public:
  explicit Wanted(const Region &region) : region(region), wanted(region.values.size()) {
    for (const Value &value : region.values)
      if ((isReduced(value.op) || value.op == Op::Widen) && isMixed(value) && can(value.args[0]))
        mark(value.args[0]);
  }
  bool operator[](Id id) const { return id >= 0 && wanted[id]; }

private:
  const Region &region;
  std::vector<bool> wanted;

  bool can(Id id) const {
    const Value &value = region[id];
    if (!isMixed(value))
      return true;
    const auto [first, last] = wideOperands(value);
    return first < last && std::all_of(
                               value.args.begin() + first, value.args.begin() + last,
                               [&](Id arg) { return can(arg); });
  }

  void mark(Id id) {
    const Value &value = region[id];
    if (!isMixed(value) || wanted[id])
      return;
    wanted[id] = true;
    const auto [first, last] = wideOperands(value);
    for (std::size_t k = first; k < last; ++k)
      mark(value.args[k]);
  }
};

/// Values of an old region in a new one, in single precision or double, each made once.
class Widener {
public:
  /// `wanted`: what the careful class forms in double; nullptr: tables are.
  Widener(const Region &old, Formulas &builder, const Wanted *wanted)
      : old(old), b(builder), wanted(wanted) {}

  /// The value as single precision reads it.
  Id narrow(Id id) {
    return remembered(narrowed, id, [&] {
      const Value &value = old[id];
      b.loc = value.loc;
      if (wanted ? (*wanted)[id] : value.type != Type::Bool && isMixed(value) && !isInner(value))
        return b.op(Op::Narrow, wide(id));
      if (wanted && (*wanted)[value.args[0]] && isReduced(value.op))
        return b.op(Op::Narrow, b.op(value.op, wide(value.args[0])));
      if (wanted && (*wanted)[value.args[0]] && value.op == Op::Widen)
        return wide(value.args[0]);
      return again(value, 0, 0);
    });
  }

private:
  const Region &old;
  Formulas &b;
  const Wanted *wanted;
  std::map<Id, Id> narrowed, widened;

  Id wide(Id id) {
    return remembered(widened, id, [&] {
      const Value &value = old[id];
      b.loc = value.loc;
      if (isNumber(value) || (wanted && !(*wanted)[id] && value.type == Type::Wide))
        return narrow(id);
      const bool isSource = value.type != Type::Bool && (recordOnly(value) || isLeaf(value.op));
      const auto [first, last] =
          wanted ? wideOperands(value) : std::pair<std::size_t, std::size_t>{0, 3};
      if (isSource || first == last)
        return b.op(Op::Widen, narrow(id));
      return again(value, first, last);
    });
  }

  /// The same op, these operands in double. What only rounds or widens is left out.
  Id again(Value value, std::size_t first, std::size_t last) {
    for (std::size_t k = 0; k < value.operands().size(); ++k)
      value.args[k] = first <= k && k < last ? wide(value.args[k]) : narrow(value.args[k]);
    const bool converts = value.op == Op::Narrow || value.op == Op::Widen;
    return wanted && converts && first < last ? value.args[0] : b.copy(std::move(value));
  }
};

} // namespace

void widen(Kernel &kernel, const Variant &variant) {
  if (variant.klass != Class::F32Careful)
    return;
  const Wanted wanted(kernel.term);
  Rewriter to(kernel, kernel.term);
  Widener widener(kernel.term, to.b, &wanted);
  to.run([&](const Value &, Id id) { return widener.narrow(id); });
}

void widenTables(Kernel &kernel, const Variant &variant) {
  if (variant.klass == Class::F64)
    return;
  Region result;
  Formulas b(kernel, result);
  Widener tables(kernel.term, b, nullptr);
  for (const Output &output : kernel.term.outputs)
    result.outputs.push_back({output.name, tables.narrow(output.value)});
  kernel.term = std::move(result);
}

} // namespace facet::passes
