// fold.cpp - constants and identities; the same value once.
//
// fold:
//   1. Values are taken in order, operands already folded.
//   2. An op of numbers only is computed, in double.
//   3. Signs move outward (-a * b = -(a b), a + -b = a - b), so that they meet, cancel, or reach
//      the root of the term, where hoist takes them away.
//   4. Numbers move to the front of products and the back of sums, and meet: 2 * (3 * a) = 6 * a.
//   5. Identities of each op, by the table below. 0 * a = 0 only if a is finite for finite inputs.
//   6. What a rule makes is folded again; each rule removes an op or moves one outward, so this
//      ends.
//
// cse:
//   1. Values are taken in order, operands already renamed.
//   2. Each gets a key: op, operands (sorted if the op commutes) and what a leaf names.
//   3. A key seen before: the earlier value stands for this one. Else it is kept.
//   4. What no output needs is dropped.
#include "codegen/ir/evaluate.h"
#include "known.h"
#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>
#include <tuple>

namespace facet::passes {

using namespace ir;

namespace {

class Folder {
public:
  explicit Folder(Formulas &builder) : b(builder), facts(builder) {}

  /// The folded form of `value`, operands being folded already.
  Id fold(const Value &value) {
    component = value.component;
    const auto [x, y, z] = value.args;
    return isLeaf(value.op) ? b.copy(value) : make(value.op, x, y, z);
  }

  /// `value` as it is, but for constants.
  Id foldConstant(const Value &value) {
    if (isLeaf(value.op))
      return b.copy(value);
    const auto &[a, c, d] = value.args;
    if (const auto known = computed(value.op, a, c, d))
      return b.number(*known);
    if (value.op == Op::Mul)
      for (const auto &[factor, other] : {std::pair{a, c}, std::pair{c, a}})
        if (isNumber(factor) && is(other, Op::Mul))
          for (const std::size_t k : {0U, 1U})
            if (isNumber(arg(other, k)))
              return b.mul(b.number(number(factor) * number(arg(other, k))), arg(other, 1 - k));
    return b.copy(value);
  }

private:
  Formulas &b;
  ValueFacts facts;
  int component = -1; // of the value that is folded

  bool is(Id id, Op op) const { return b[id].op == op; }
  Id arg(Id id, std::size_t k = 0) const { return b[id].args[k]; }
  bool isNumber(Id id) const { return is(id, Op::Number); }
  bool isNumber(Id id, double number) const { return isNumber(id) && b[id].number == number; }
  double number(Id id) const { return b[id].number; }
  bool isReal(Id id) const { return ir::isReal(b[id].type); }
  Id neg(Id a) { return make(Op::Neg, a); }

  Id make(Op op, Id a, Id c = -1, Id d = -1) {
    if (const auto known = computed(op, a, c, d))
      return b.number(*known);
    if (const Id id = identity(op, a, c, d); id >= 0)
      return id;
    return b.op(op, a, c, d, component);
  }

  /// The value of an op whose operands are numbers. Not of tests: there is no literal truth.
  std::optional<double> computed(Op op, Id a, Id c, Id d) const {
    for (const Id id : {a, c, d})
      if (id >= 0 && !isNumber(id))
        return {};
    const auto real = [&](Id id) { return id < 0 ? 0 : number(id); };
    const auto result =
        info(op).rule == ir::Rule::Test ? std::nullopt : evaluate(op, real(a), real(c), real(d));
    const bool finite = std::isfinite(real(a)) && std::isfinite(real(c)) && std::isfinite(real(d));
    return result && (std::isfinite(*result) || !finite) ? result : std::nullopt;
  }

  std::optional<bool> truth(Id id) const {
    switch (b[id].op) {
    case Op::Less:
    case Op::LessEqual:
    case Op::Equal:
      if (!isNumber(arg(id, 0)) || !isNumber(arg(id, 1)))
        return {};
      return evaluate(b[id].op, number(arg(id, 0)), number(arg(id, 1))) != 0.0;
    case Op::Not: {
      const auto a = truth(arg(id));
      return a ? std::optional(!*a) : std::nullopt;
    }
    case Op::And:
    case Op::Or: {
      const auto x = truth(arg(id, 0)), y = truth(arg(id, 1));
      const bool decides = is(id, Op::Or); // whatever the other one is
      if (x == decides || y == decides)
        return decides;
      return x && y ? std::optional(!decides) : std::nullopt;
    }
    default:
      return {};
    }
  }

  Id identity(Op op, Id a, Id c, Id d) {
    switch (op) {
    case Op::Add:
      return add(a, c);
    case Op::Sub:
      return sub(a, c);
    case Op::Mul:
      return mul(a, c);
    case Op::Div:
      return div(a, c);
    case Op::Neg:
      if (is(a, Op::Neg))
        return arg(a);
      if (is(a, Op::Sub))
        return make(Op::Sub, arg(a, 1), arg(a, 0));
      if (is(a, Op::Mul) && isNumber(arg(a)))
        return make(Op::Mul, b.number(-number(arg(a))), arg(a, 1));
      return -1;
    case Op::Pow:
      return pow(a, number(c));
    case Op::Select:
      return select(a, c, d);
    case Op::Not:
      return is(a, Op::Not) ? arg(a) : -1;
    case Op::Complex:
      return isNumber(c, 0) ? a : -1;
    default:
      return ofOne(op, a);
    }
  }

  Id add(Id a, Id c) {
    if (isNumber(c, 0))
      return a;
    if (isNumber(a) && !isNumber(c))
      return make(Op::Add, c, a); // a number goes last
    if (is(c, Op::Neg))
      return make(Op::Sub, a, arg(c));
    if (is(a, Op::Neg))
      return make(Op::Sub, c, arg(a));
    if (isNumber(c) && number(c) < 0)
      return make(Op::Sub, a, b.number(-number(c)));
    if (isNumber(c) && is(a, Op::Add) && isNumber(arg(a, 1)))
      return make(Op::Add, arg(a), b.number(number(arg(a, 1)) + number(c)));
    return -1;
  }

  Id sub(Id a, Id c) {
    if (isNumber(c, 0))
      return a;
    if (isNumber(a, 0))
      return neg(c);
    if (is(c, Op::Neg))
      return make(Op::Add, a, arg(c));
    if (is(a, Op::Neg))
      return neg(make(Op::Add, arg(a), c));
    if (isNumber(c) && number(c) < 0)
      return make(Op::Add, a, b.number(-number(c)));
    if (a == c && facts.finite(a) && !isVector(b[a]))
      return b.number(0);
    return -1;
  }

  Id mul(Id a, Id c) {
    if (isNumber(c) && !isNumber(a))
      return make(Op::Mul, c, a); // a number goes first
    if (isNumber(a, 1))
      return c;
    if (isNumber(a, -1))
      return neg(c);
    if (isNumber(a, 0) && !isVector(b[c]) && facts.finite(c))
      return b.number(0);
    if (is(a, Op::Neg))
      return neg(make(Op::Mul, arg(a), c));
    if (is(c, Op::Neg))
      return neg(make(Op::Mul, a, arg(c)));
    if (isNumber(a) && is(c, Op::Mul) && isNumber(arg(c)))
      return make(Op::Mul, b.number(number(a) * number(arg(c))), arg(c, 1));
    for (const auto &[unit, other] : {std::pair{a, c}, std::pair{c, a}}) {
      if (!is(unit, Op::Unit))
        continue;
      if (is(other, Op::Unit))
        return b.number(-1);
      for (const std::size_t k : {0U, 1U}) // i (i a) = -a, whichever side i stands
        if (is(other, Op::Mul) && is(arg(other, k), Op::Unit))
          return neg(arg(other, 1 - k));
    }
    return -1;
  }

  Id div(Id a, Id c) {
    if (isNumber(c, 1))
      return a;
    if (isNumber(c, -1))
      return neg(a);
    if (is(a, Op::Neg))
      return neg(make(Op::Div, arg(a), c));
    if (is(c, Op::Neg))
      return neg(make(Op::Div, a, arg(c)));
    // A multiplication is several times cheaper than a division, for one rounding more.
    if (isNumber(c) && number(c) != 0 && std::isfinite(1 / number(c)))
      return make(Op::Mul, b.number(1 / number(c)), a);
    return -1;
  }

  /// Whole and half powers are products and a root. Others are left to math, or to <cmath>.
  Id pow(Id a, double c) {
    if (std::floor(2 * c) != 2 * c)
      return -1;
    const double size = std::abs(c);
    Id out = size != std::floor(size) ? make(Op::Sqrt, a) : -1;
    const auto times = [&](Id by) { out = out < 0 ? by : make(Op::Mul, out, by); };
    Id power = a;
    for (auto rest = static_cast<int>(size); rest > 0; rest /= 2) {
      if (rest % 2 != 0)
        times(power);
      if (rest > 1)
        power = make(Op::Mul, power, power);
    }
    const Id one = b.number(1);
    return out < 0 ? one : c < 0 ? make(Op::Div, one, out) : out;
  }

  Id select(Id condition, Id a, Id c) {
    if (a == c)
      return a;
    if (const auto known = truth(condition))
      return *known ? a : c;
    return is(condition, Op::Not) ? make(Op::Select, arg(condition), c, a) : -1;
  }

  /// e^{a} with a = i x is cis(x); answers x, or -1.
  Id overUnit(Id a) {
    if (is(a, Op::Unit))
      return b.number(1);
    if (is(a, Op::Mul))
      for (const std::size_t k : {0U, 1U})
        if (const Id other = arg(a, 1 - k), x = overUnit(arg(a, k)); x >= 0)
          return make(Op::Mul, x, other);
    if (is(a, Op::Neg))
      if (const Id x = overUnit(arg(a)); x >= 0)
        return neg(x);
    return -1;
  }

  Id ofOne(Op op, Id a) {
    switch (op) {
    case Op::Conj:
      if (isReal(a) || b[a].type == Type::Vec3)
        return a;
      return is(a, Op::Conj) ? arg(a) : -1;
    case Op::Re:
    case Op::Im: {
      const bool re = op == Op::Re;
      if (isReal(a))
        return re ? a : b.number(0);
      if (is(a, Op::Complex))
        return arg(a, re ? 0 : 1);
      if (is(a, Op::Unit))
        return b.number(re ? 0 : 1);
      if (is(a, Op::Conj))
        return re ? make(op, arg(a)) : neg(make(op, arg(a)));
      return -1;
    }
    case Op::Abs:
      return is(a, Op::Neg) || is(a, Op::Abs) ? make(Op::Abs, arg(a)) : -1;
    case Op::Sin:
    case Op::Sinpi:
    case Op::Erf:
      return is(a, Op::Neg) ? neg(make(op, arg(a))) : -1;
    case Op::Cos:
    case Op::Cospi:
    case Op::Sinc:
    case Op::Sincpi:
      return is(a, Op::Neg) ? make(op, arg(a)) : -1;
    case Op::Csqrt: // what is left of a complex number that has become real
      if (isNumber(a) && number(a) < 0)
        return make(Op::Mul, b.number(std::sqrt(-number(a))), b.unit());
      return facts.nonNegative(a) ? make(Op::Sqrt, a) : -1;
    case Op::Exp:
      if (const Id x = overUnit(a); x >= 0)
        return make(Op::Cis, x);
      return -1;
    case Op::Cis:
    case Op::Cism1:
      if (isNumber(a, 0))
        return b.number(op == Op::Cis ? 1 : 0);
      // For a real phase the same sine and cosine serve both signs.
      return isReal(a) && is(a, Op::Neg) ? make(Op::Conj, make(op, arg(a))) : -1;
    case Op::Widen:
      return is(a, Op::Widen) || b[a].type == Type::Wide ? a : -1;
    case Op::Narrow:
      return b[a].type == Type::Real ? a : -1; // of a widened value: widen has yet to reach into it
    default:
      return -1;
    }
  }
};

void foldBy(Kernel &kernel, const auto &regions, Id (Folder::*by)(const Value &)) {
  for (Region *region : regions) {
    Rewriter to(kernel, *region);
    Folder folder(to.b);
    to.run([&](const Value &value, Id) { return (folder.*by)(value); });
  }
}

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

void foldConstants(Kernel &kernel) { foldBy(kernel, sourceRegions(kernel), &Folder::foldConstant); }
void fold(Kernel &kernel, const Variant &) { foldBy(kernel, regionsOf(kernel), &Folder::fold); }

void cse(Kernel &kernel, const Variant &) {
  for (Region *region : regionsOf(kernel)) {
    prune(*region); // before too: a dropped value may be all that would keep two others apart
    std::map<Key, Id> seen;
    Rewriter to(kernel, *region);
    to.run([&](const Value &value, Id) {
      return remembered(seen, keyOf(value), [&] { return to.b.copy(value); });
    });
  }
}

} // namespace facet::passes
