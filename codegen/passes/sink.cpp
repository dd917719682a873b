// sink.cpp - constants and factors of the record sink to where they cost nothing.
//
// gather: a * (x * b + y * c) = x * (a * b) + y * (a * c), with a, b, c of the record.
//   1. Take each product of a value of the record only and a mixed one, used nowhere else. See
//      whether every addend of the mixed one has a factor of the record of its own.
//   2. If so the first sinks into those factors, where pack absorbs it: `area * dot(q, normal)`
//      streams three numbers a record, not four, and saves the multiplication.
//
// turns: phases in half turns, exponents in powers of two.
//   1. Each function gets its argument in these units, so that range reduction is a rounding,
//      without a multiplication: cos(a) becomes `cospi(a/pi)`, sin(a) `sinpi(a/pi)`, sinc(a)
//      `sincpi(a/pi)`, e^b `exp2(b log2 e)`, e^b - 1 `exp2m1(b log2 e)`.
//   2. The constant sinks into the phase. If that is linear in values of the record, it sinks into
//      these, and pack absorbs it; else into values without the record, outside the loop. It stops
//      at values that are needed as they are elsewhere.
//   3. Values of the record only are left as they are: pack computes them in double with <cmath>.
#include "rewrite.h"
#include <algorithm>
#include <numbers>
#include <set>
#include <utility>

namespace facet::passes {

using namespace ir;

namespace {

/// Multiplies values by one factor. It sinks through sums, signs and products to operands that are
/// computed once a record (pack absorbs it there) or once a q-point, outside the loop over records.
class Scale {
public:
  /// `factor`: a number, or a value of the record only, in the builder's region. Values in `shared`
  /// are needed unscaled too: the factor stops there, so that nothing is computed twice.
  Scale(Formulas &builder, Id factor, const std::set<Id> &shared)
      : b(builder), factor(factor), shared(shared) {}

  /// Whether `factor * value` costs no operation in the loop over records beyond those of `value`.
  bool isFree(Id id) const {
    if (absorbs(id) || shared.contains(id))
      return absorbs(id);
    const auto &[x, y, unused] = b[id].args;
    switch (b[id].op) {
    case Op::Add:
    case Op::Sub:
      return isFree(x) && isFree(y);
    case Op::Mul:
      return isFree(x) || isFree(y);
    case Op::Neg:
    case Op::Div:
    case Op::Widen:
    case Op::Narrow:
      return isFree(x);
    default:
      return false;
    }
  }

  /// The id of `factor * k * value`; the same for the same value. A number met on the way, k,
  /// joins a factor that is a number.
  Id apply(Id value, double k = 1) {
    return remembered(done, {value, k}, [&] { return make(value, k); });
  }

private:
  Formulas &b;
  Id factor;
  const std::set<Id> &shared;
  std::map<std::pair<Id, double>, Id> done;

  /// A leaf of the search: `factor * value` is computed outside the loop over records. A factor of
  /// the record is absorbed by values of the record only; a number by values without it too.
  bool absorbs(Id value) const {
    return recordOnly(b[value]) || (!ofRecord(b[value]) && !ofRecord(b[factor]));
  }

  Id times(Id value, double k) {
    if (!isNumber(b[factor]))
      return b.mul(factor, value);
    const double number = k * b[factor].number;
    return isNumber(b[value]) ? b.number(number * b[value].number) : b.mul(b.number(number), value);
  }

  Id make(Id id, double k) {
    const Value value = b[id]; // a copy: appending moves the values
    const auto [x, y, unused] = value.args;
    if (absorbs(id) || shared.contains(id))
      return times(id, k);
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
      return rank(x) > rank(y) ? b.mul(apply(x, k), y) : b.mul(x, apply(y, k));
    }
    case Op::Neg:
      return isNumber(b[factor]) ? apply(x, -k) : b.neg(apply(x, k));
    case Op::Div:
      return isFree(x) ? b.div(apply(x, k), y) : times(id, k);
    case Op::Widen:
    case Op::Narrow:
      return isFree(x) ? b.op(value.op, apply(x, k)) : times(id, k);
    default:
      return times(id, k);
    }
  }
};

struct TurnedOp {
  Op op, turned;
  double constant;
};
constexpr TurnedOp turnedOps[] = {{Op::Cos, Op::Cospi, std::numbers::inv_pi},
                                  {Op::Sin, Op::Sinpi, std::numbers::inv_pi},
                                  {Op::Sinc, Op::Sincpi, std::numbers::inv_pi},
                                  {Op::Exp, Op::Exp2, std::numbers::log2e},
                                  {Op::Expm1, Op::Exp2m1, std::numbers::log2e}};

/// What the op becomes; nullptr: it is none of these.
const TurnedOp *turnedOf(Op op) {
  const auto *found = std::ranges::find(turnedOps, op, &TurnedOp::op);
  return found == std::end(turnedOps) ? nullptr : found;
}

/// The values that something else than a sine or cosine (or than a power) needs as they are.
std::vector<bool> neededUnscaled(const Region &region) {
  std::vector<int> rest = useCounts(region);
  std::vector<double> constant(region.values.size());
  std::vector<bool> needed(region.values.size());
  for (const Value &value : region.values)
    if (const TurnedOp *turned = turnedOf(value.op)) {
      const Id phase = value.args[0];
      needed[phase] = constant[phase] != 0 && constant[phase] != turned->constant;
      constant[phase] = turned->constant;
      --rest[phase];
    }
  for (std::size_t k = 0; k < rest.size(); ++k)
    needed[k] = needed[k] || rest[k] > (constant[k] != 0 ? 0 : 1);
  return needed;
}

} // namespace

void gather(Kernel &kernel, const Variant &) {
  const std::vector<int> uses = useCounts(kernel.term);
  Rewriter to(kernel, kernel.term);
  std::set<Id> shared;
  // The product with the factor sunk into the other operand, or -1.
  const auto sunk = [&](Id factor, Id other) {
    if (!recordOnly(to.b[factor]) || !isMixed(to.b[other]))
      return -1;
    Scale scale(to.b, factor, shared);
    return scale.isFree(other) ? scale.apply(other) : -1;
  };
  to.run([&](const Value &value, Id id) {
    Id made = -1;
    if (value.op == Op::Mul)
      made = sunk(value.args[0], value.args[1]);
    if (value.op == Op::Mul && made < 0)
      made = sunk(value.args[1], value.args[0]);
    if (made < 0)
      made = to.b.copy(value);
    if (uses[id] > 1)
      shared.insert(made);
    return made;
  });
}

void turns(Kernel &kernel, const Variant &) {
  const std::vector<bool> needed = neededUnscaled(kernel.term);
  Rewriter to(kernel, kernel.term);
  std::set<Id> shared;
  std::map<double, Scale> scales; // phases shared by sine and cosine stay shared
  to.run([&](const Value &value, Id id) {
    const TurnedOp *turned = turnedOf(value.op);
    Id made = -1;
    if (!turned || recordOnly(value) || isComplex(value)) {
      made = to.b.copy(value);
    } else {
      const double k = turned->constant;
      const auto [scale, isNew] = scales.try_emplace(k, to.b, to.b.number(k), shared);
      made = to.b.op(turned->turned, scale->second.apply(value.args[0]));
    }
    if (needed[id])
      shared.insert(made);
    return made;
  });
}

} // namespace facet::passes
