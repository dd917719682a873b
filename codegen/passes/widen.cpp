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
#include <map>
#include <utility>

namespace facet::passes {

using namespace ir;

namespace {

bool isReduced(Op op) {
  return op == Op::Sinpi || op == Op::Cospi || op == Op::Exp2 || op == Op::Exp2m1;
}

/// The operands of a mixed value that must be wide for it to be, as [first, last); none: it cannot.
std::pair<std::size_t, std::size_t> wideOperands(Op op) {
  switch (op) {
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
  bool operator[](Id id) const { return wanted[id]; }

private:
  const Region &region;
  std::vector<bool> wanted;

  bool can(Id id) const {
    const Value &value = region[id];
    if (!isMixed(value))
      return true;
    const auto [first, last] = wideOperands(value.op);
    for (std::size_t k = first; k < last; ++k)
      if (!can(value.args[k]))
        return false;
    return first < last;
  }

  void mark(Id id) {
    const Value &value = region[id];
    if (!isMixed(value) || wanted[id])
      return;
    wanted[id] = true;
    const auto [first, last] = wideOperands(value.op);
    for (std::size_t k = first; k < last; ++k)
      mark(value.args[k]);
  }
};

/// Steps 2 and 3, in the new region.
class Widener {
public:
  explicit Widener(Builder &builder) : b(builder) {}

  /// A value that is not mixed, or the rounded form of a wanted one, in double.
  Id wide(Id id) {
    return remembered(done, id, [&] { return make(id); });
  }

  /// The wanted value, rounded; its wide form is remembered.
  Id rounded(const Value &value) {
    const Id inDouble = again(value, wideOperands(value.op));
    const Id out = b.op(Op::Narrow, inDouble);
    done[out] = inDouble;
    return out;
  }

private:
  Builder &b;
  std::map<Id, Id> done;

  Id make(Id id) {
    const Value value = b[id]; // a copy: appending moves the values
    if (value.op == Op::Number || value.type == Type::Wide)
      return id;
    if (recordOnly(value) || isLeaf(value.op))
      return b.op(Op::Widen, id);
    switch (value.op) {
    case Op::Div:
      return again(value, {0, 2});
    case Op::Sqrt:
    case Op::Abs:
      return again(value, {0, 1});
    default: {
      const auto operands = wideOperands(value.op);
      return operands.second > 0 ? again(value, operands) : b.op(Op::Widen, id);
    }
    }
  }

  /// The same op on wide operands; what only rounds or widens is left out.
  Id again(const Value &value, std::pair<std::size_t, std::size_t> operands) {
    std::array<Id, 3> args = value.args;
    for (std::size_t k = operands.first; k < operands.second; ++k)
      args[k] = wide(args[k]);
    if (value.op == Op::Narrow || value.op == Op::Widen)
      return args[0];
    return b.op(value.op, args[0], args[1], args[2]);
  }
};

class Tables {
public:
  Tables(const Region &old, Builder &builder) : old(old), b(builder) {}

  /// The value as the inner loop reads it.
  Id narrow(Id id) {
    return remembered(narrowed, id, [&] {
      const Value &value = old[id];
      b.loc = value.loc;
      if (value.type != Type::Bool && isMixed(value) && !isInner(value))
        return b.op(Op::Narrow, wide(id));
      return same(value, false);
    });
  }

private:
  const Region &old;
  Builder &b;
  std::map<Id, Id> narrowed, widened;

  Id wide(Id id) {
    return remembered(widened, id, [&] {
      const Value &value = old[id];
      b.loc = value.loc;
      if (isNumber(value))
        return narrow(id);
      if (value.type != Type::Bool && (recordOnly(value) || isLeaf(value.op)))
        return b.op(Op::Widen, narrow(id));
      return same(value, true);
    });
  }

  Id same(Value value, bool inDouble) {
    for (Id &arg : value.operands())
      arg = inDouble ? wide(arg) : narrow(arg);
    return b.copy(std::move(value));
  }
};

} // namespace

void widen(Kernel &kernel, const Variant &variant) {
  if (variant.klass != Class::F32Careful)
    return;
  const Region old = kernel.term;
  const Wanted wanted(old);
  rebuildBy(kernel, kernel.term, [&](Builder &b) {
    return [&, widener = Widener(b)](const Value &value, Old at) mutable {
      const Id arg = old[at.id].args[0];
      if (wanted[at.id])
        return widener.rounded(value);
      if (arg >= 0 && wanted[arg] && isReduced(value.op))
        return b.op(Op::Narrow, b.op(value.op, widener.wide(value.args[0])));
      if (arg >= 0 && wanted[arg] && value.op == Op::Widen)
        return widener.wide(value.args[0]);
      return b.copy(value);
    };
  });
  prune(kernel.term);
}

void widenTables(Kernel &kernel, const Variant &variant) {
  if (variant.klass == Class::F64)
    return;
  Region result;
  Builder builder(kernel, result);
  Tables tables(kernel.term, builder);
  for (const Output &output : kernel.term.outputs)
    result.outputs.push_back({output.name, tables.narrow(output.value)});
  kernel.term = std::move(result);
}

} // namespace facet::passes
