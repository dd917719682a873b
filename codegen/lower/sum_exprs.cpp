// sum_exprs.cpp - the translation of IR values to Halide expressions, op by op.
#include "sum_exprs.h"
#include "codegen/passes/rewrite.h"
#include <algorithm>
#include <fmt/format.h>
#include <type_traits>

namespace facet::lower {
namespace {

using Halide::cast;
using Halide::Expr;
using Halide::reinterpret;
using Halide::Internal::Call;
using ir::Op;

/// One operation rounded as written. strict_float() would also reach into the operands and keep
/// their products from being fused.
Expr strict(Call::IntrinsicOp op, const Expr &a, const Expr &b) {
  return Call::make(a.type(), op, {a, b}, Call::PureIntrinsic);
}

/// 1.5 * 2^23 (2^52): adding it leaves the nearest integer, ties to even, in the low bits of the
/// sum, for |a| < 2^22 (2^51).
Expr bias(Halide::Type type) {
  return Halide::Internal::make_const(type, type.bits() == 32 ? 0x1.8p23 : 0x1.8p52);
}

Halide::Type bitsOf(Halide::Type type) { return Halide::UInt(type.bits(), type.lanes()); }

/// The low bit of `odd` as the sign bit of `type`. Unsigned throughout: signed shifts overflow, and
/// an optimiser may then drop the flip.
Expr signMask(const Expr &odd, Halide::Type type) {
  Expr bits = reinterpret(bitsOf(odd.type()), odd);
  const Halide::Type as = bitsOf(type);
  if (bits.type() != as)
    bits = cast(as, bits);
  return bits << Halide::Internal::make_const(as, type.bits() - 1);
}

/// The parts of a float's or double's bits.
struct Layout {
  explicit Layout(Halide::Type type) : as(bitsOf(type)), single(type.bits() == 32) {}
  Halide::Type as;
  bool single;
  Expr shift() const { return constant(single ? 23 : 52); } // to the exponent's bits
  Expr mantissa() const { return constant(single ? 0x7fffff : 0xfffffffffffff); }
  Expr infinity() const { return constant(single ? 0x7f800000 : 0x7ff0000000000000); }
  Expr nan() const { return constant(single ? 0x7fc00000 : 0x7ff8000000000000); }
  Expr rootOfHalf() const { return constant(single ? 0x3f3504f3 : 0x3fe6a09e667f3bcd); }
  /// The bits so moved that the exponent of numbers from sqrt(1/2) to sqrt(2) is that of 1.
  Expr centred(const Expr &a) const {
    return reinterpret(as, a) + constant(single ? 0x4afb0d : 0x95f619980c433);
  }
  Expr constant(std::uint64_t bits) const { return Halide::Internal::make_const(as, bits); }
};

/// e of a = m 2^e, m from sqrt(1/2) to sqrt(2), as a number: put into the low bits of 2^23 (2^52).
Expr exponentOf(const Expr &a) {
  const Layout layout(a.type());
  const Expr above = layout.constant(layout.single ? 0x4b000000 : 0x4330000000000000);
  const double bias = layout.single ? 0x1p23 + 127 : 0x1p52 + 1023;
  return strict(Call::strict_sub,
                reinterpret(a.type(), (layout.centred(a) >> layout.shift()) | above),
                Halide::Internal::make_const(a.type(), bias));
}

Expr mantissaOf(const Expr &a) {
  const Layout layout(a.type());
  return reinterpret(a.type(), (layout.centred(a) & layout.mantissa()) + layout.rootOfHalf());
}

/// By bits: LLVM is told that sums have no NaN, so that it may turn comparisons round.
Expr orNan(const Expr &a, const Expr &b) {
  const Layout layout(a.type());
  const Expr one = layout.constant(1), bits = reinterpret(layout.as, b);
  const Expr isNan = bits << one > layout.infinity() << one;
  return reinterpret(a.type(), Halide::select(isNan, bits, reinterpret(layout.as, a)));
}

/// |a| of doubles by bits: as the larger of a and -a, |-0| may be -0, and 1 / |-0| be -infinity.
Expr absolute(const Expr &a) {
  const Halide::Type as = bitsOf(a.type());
  return as.bits() < 64 ? Halide::abs(a)
                        : reinterpret(a.type(), reinterpret(as, a) &
                                                    Halide::Internal::make_const(as, INT64_MAX));
}

/// By bits: the sign of -0 counts.
Expr negatedIfNegative(const Expr &a, const Expr &b) {
  const Halide::Type as = bitsOf(a.type());
  const Expr sign = Halide::Internal::make_const(as, std::uint64_t(1) << (as.bits() - 1));
  return reinterpret(a.type(), reinterpret(as, a) ^ (reinterpret(as, b) & sign));
}

[[noreturn]] void refuse(const ir::Value &value, std::string_view why) {
  throw ir::Error{fmt::format("cannot lower '{}': {}", ir::info(value.op).spelling, why),
                  value.loc};
}

struct None {}; // the column of an op without a machine form
constexpr None none;

} // namespace

AxisId axisOf(const ir::Value &value) {
  return {value.component, value.part == ir::Part::Im ? ir::Part::Im : ir::Part::Re};
}

std::vector<AxisId> axesOf(const ir::Region &region, int domains) {
  std::vector<AxisId> axes;
  for (const ir::Value &value : region.values)
    if (value.op == Op::Axis && (value.domain & domains) != 0 &&
        std::ranges::find(axes, axisOf(value)) == axes.end())
      axes.push_back(axisOf(value));
  return axes;
}

bool readsPacked(const ir::Region &region, bool wide) {
  return std::ranges::any_of(region.values, [&](const ir::Value &value) {
    return value.op == Op::Packed && (value.type == ir::Type::Wide) == wide;
  });
}

void Scope::read(const Halide::Func &table, const std::vector<ir::Id> &ids,
                 const std::vector<Expr> &place) {
  for (std::size_t k = 0; k < ids.size(); ++k)
    made[ids[k]] = ids.size() == 1 ? Expr(table(place)) : table(place)[static_cast<int>(k)];
}

std::vector<Expr> inDouble(const std::vector<Expr> &sums) {
  std::vector<Expr> made;
  for (const Expr &sum : sums)
    made.push_back(cast<double>(sum));
  return made;
}

std::vector<Expr> valuesAt(const Halide::FuncRef &place) {
  if (place.size() == 1)
    return {Expr(place)};
  return Halide::Tuple(place).as_vector();
}

void define(Halide::FuncRef place, const std::vector<Expr> &values) {
  if (values.size() == 1)
    place = values.front();
  else
    place = Halide::Tuple(values);
}

void addTo(const Halide::FuncRef &place, const std::vector<Expr> &values) {
  std::vector<Expr> sums = valuesAt(place);
  for (std::size_t k = 0; k < sums.size(); ++k)
    sums[k] = sums[k] + values[k];
  define(place, sums);
}

std::vector<Expr> kept(const std::vector<Expr> &sums) {
  std::vector<Expr> made;
  for (const Expr &sum : sums) {
    const Expr whole = reinterpret(bitsOf(sum.type()), sum);
    const Expr low = Halide::Internal::make_const(whole.type(), 0xffff);
    made.push_back(reinterpret(sum.type(), ((whole >> 16) << 16) | (whole & low)));
  }
  return made;
}

Exprs::Exprs(const Inputs &inputs, Scope scope) : inputs(inputs), scope(std::move(scope)) {
  uses = passes::useCounts(inputs.kernel.term);
}

const ir::Value &Exprs::value(ir::Id id) const { return inputs.kernel.term.values[id]; }

Expr Exprs::operator()(ir::Id id) {
  if (const auto made = scope.made.find(id); made != scope.made.end())
    return made->second;
  return passes::remembered(memo, id, [&] { return make(value(id)); });
}

Halide::Tuple Exprs::all(const std::vector<ir::Id> &ids) {
  std::vector<Expr> values;
  for (const ir::Id id : ids)
    values.push_back((*this)(id));
  return Halide::Tuple(values);
}

Expr Exprs::leaf(const ir::Value &v, bool wide) {
  const Halide::Type type = wide ? Halide::Float(64) : inputs.real;
  switch (v.op) {
  case Op::Number:
    return Halide::Internal::make_const(type, v.number);
  case Op::Packed: {
    const auto copied = scope.columns.find(v.name);
    return cast(v.type == ir::Type::Wide ? Halide::Float(64) : type,
                copied != scope.columns.end() ? copied->second : inputs.column(v.name, scope.t));
  }
  case Op::Field:
    if (const auto made = scope.points.find(v.name); made != scope.points.end())
      return made->second[wide];
    return cast(type, inputs.table(v.name, scope.t, scope.at));
  case Op::Param:
    return cast(type, inputs.params.at(v.name));
  case Op::Axis:
    if (v.component < 0)
      refuse(v, "q as a vector is left: the expand pass has not run");
    if (const auto made = scope.axes.find(axisOf(v)); made != scope.axes.end())
      return made->second[wide];
    return cast(type, inputs.axis(axisOf(v), scope.at[v.component]));
  default:
    refuse(v, "the term must be packed and split into real pairs first");
  }
}

Expr Exprs::inDouble(ir::Id id) {
  const ir::Value &v = value(id);
  if (ir::isLeaf(v.op))
    return leaf(v, true);
  return cast<double>((*this)(id));
}

Expr Exprs::operand(const ir::Value &user, int k) {
  const ir::Id id = user.args[k];
  if (user.type == ir::Type::Wide && value(id).type != ir::Type::Bool)
    return inDouble(id);
  if (user.type == ir::Type::Bool) { // comparisons join their operands
    for (const ir::Id arg : user.operands())
      if (value(arg).type == ir::Type::Wide)
        return inDouble(id);
  }
  return (*this)(id);
}

Expr Exprs::biased(ir::Id id) {
  const ir::Value *v = &value(id);
  while (v->op == Op::Narrow || v->op == Op::Widen) {
    id = v->args[0];
    v = &value(id);
  }
  if (v->op != Op::Round)
    refuse(*v, "a power of two or a parity must come from 'round'");
  return passes::remembered(biasedMemo, id, [&] {
    const Expr a = operand(*v, 0);
    return strict(Call::strict_add, a, bias(a.type()));
  });
}

/// 2^k - 1 in 2^a - 1 = p 2^k + (2^k - 1): LLVM would add the two powers first and lose what is
/// small if k = 0. And a - round(a): Halide and LLVM would move a constant of a past the round,
/// where it would be lost beside the large bias.
Expr Exprs::difference(const ir::Value &v, const Expr &a, const Expr &b) const {
  const bool asWritten = value(v.args[0]).op == Op::Scale2 || value(v.args[1]).op == Op::Round;
  return asWritten ? strict(Call::strict_sub, a, b) : a - b;
}

/// A reciprocal of many products: LLVM would divide each of them, which costs ten times as much.
Expr Exprs::quotient(const ir::Value &v, const Expr &a, const Expr &b) const {
  return value(v.args[0]).op == Op::Number ? strict(Call::strict_div, a, b) : a / b;
}

/// Instructions of what nothing but this value needs and no table keeps.
int Exprs::ownInstructions(ir::Id id) const {
  if (uses[id] != 1 || scope.made.contains(id))
    return 0;
  int sum = ir::info(value(id).op).instructions;
  for (const ir::Id arg : value(id).operands())
    sum += ownInstructions(arg);
  return sum;
}

/// A condition of the record is the same for all q of a vector. So a branch skips the side that
/// this record does not take, if that side is long enough. A branch may be mispredicted every other
/// time. Separable sums make their tables with records in the lanes.
Expr Exprs::chosen(const ir::Value &v, const Expr &condition, const Expr &a, const Expr &b) const {
  constexpr int longEnough = 16;
  const bool branch =
      !inputs.separable && value(v.args[0]).domain == ir::T && v.domain != ir::T &&
      std::max(ownInstructions(v.args[1]), ownInstructions(v.args[2])) >= longEnough;
  return branch ? Call::make(a.type(), Call::if_then_else, {condition, a, b}, Call::PureIntrinsic)
                : Halide::select(condition, a, b);
}

Expr Exprs::rounded(const ir::Value &v) {
  const Expr sum = biased(static_cast<ir::Id>(&v - inputs.kernel.term.values.data()));
  return strict(Call::strict_sub, sum, bias(sum.type()));
}

Expr Exprs::negatedIfOdd(const ir::Value &v, const Expr &a) {
  const Expr bits = reinterpret(bitsOf(a.type()), a);
  return reinterpret(a.type(), bits ^ signMask(biased(v.args[1]), a.type()));
}

/// a 2^b by the exponent bits of 2^b: those of 1, plus b at the place of the exponent.
Expr Exprs::scaled(const ir::Value &v, const Expr &a) {
  Expr sum = biased(v.args[1]);
  const bool single = a.type().bits() == 32;
  const double lowest = single ? -126 : -1022, highest = single ? 127 : 1023;
  const auto at = [&](double k) { return bias(sum.type()) + Halide::cast(sum.type(), Expr(k)); };
  sum = Halide::max(Halide::min(sum, at(highest)), at(lowest));
  const Halide::Type as = bitsOf(a.type());
  Expr bits = reinterpret(bitsOf(sum.type()), sum);
  if (bits.type() != as)
    bits = cast(as, bits);
  const Expr shift = Halide::Internal::make_const(as, single ? 23 : 52);
  const Expr one = reinterpret(as, Halide::Internal::make_const(a.type(), 1.0));
  return a * reinterpret(a.type(), (bits << shift) + one);
}

/// By bits: LLVM is told that sums have no NaN and no infinity, and may drop those it sees.
Expr Exprs::edged(const ir::Value &v, const Expr &a, const Expr &b) const {
  const Layout layout(a.type());
  const Expr bits = reinterpret(layout.as, b), one = layout.constant(1), zero = layout.constant(0);
  const double at0 = value(v.args[2]).number;
  const Expr sign = one << layout.constant(layout.as.bits() - 1);
  const Expr atZero = at0 == 0 ? zero : at0 > 0 ? layout.infinity() : layout.infinity() | sign;
  const Expr atInfinity = at0 > 0 ? zero : layout.infinity();
  const Expr other = Halide::select(bits << one == zero, atZero, bits == layout.infinity(),
                                    atInfinity, layout.nan());
  const Expr inside = bits - one < layout.infinity() - one; // unsigned: negative numbers are large
  return reinterpret(a.type(), Halide::select(inside, reinterpret(layout.as, a), other));
}

/// The device's own function. libdevice's sine, Halide's for CUDA, takes 705 instructions.
Expr Exprs::hardware(const ir::Value &v, const Expr &a, const char *cuda,
                     const char *opencl) const {
  const schedules::TargetInfo &target = targetOf(inputs.target);
  if (!isDevice(target))
    refuse(v, fmt::format("target {} is a CPU, which has no such function: run the passes "
                          "without the knob hardware, or lower for a device",
                          inputs.target));
  if (a.type() != Halide::Float(32))
    refuse(v, "devices have it in single precision alone: run the passes for the class f32");
  return Call::make(a.type(), target.architecture == "cuda" ? cuda : opencl, {a}, Call::PureExtern);
}

/// By `form`, the column `machine` of ops.def, of the op's operands.
template <class Form> Expr Exprs::made(const ir::Value &v, Form form) {
  if constexpr (std::is_same_v<decltype(form(Expr(), Expr(), Expr())), None>) {
    refuse(v, "no machine form; the passes that replace it have not run");
  } else {
    std::array<Expr, 3> in;
    for (int k = 0; k < ir::info(v.op).arity; ++k)
      in[k] = operand(v, k);
    return form(in[0], in[1], in[2]);
  }
}

Expr Exprs::make(const ir::Value &v) {
  switch (v.op) {
#define FACET_LEAF(...)
#define FACET_OP(Enum, spelling, arity, rule, traits, flops, instructions, value, slope, plain,    \
                 language, machine, doc)                                                           \
  case Op::Enum:                                                                                   \
    return made(v, [&](const Expr &a, const Expr &b, const Expr &c) { return machine; });
#include "codegen/ir/ops.def"
  default:
    return leaf(v, false);
  }
}

Expr Exprs::addTo(const Expr &sum, ir::Id id) {
  const ir::Value &v = value(id);
  const bool shared = uses[id] > 1 || scope.made.count(id);
  if (shared || v.type == ir::Type::Wide)
    return sum + cast(inputs.real, (*this)(id));
  switch (v.op) {
  case Op::Add:
    return addTo(addTo(sum, v.args[0]), v.args[1]);
  case Op::Fma:
    return addTo(sum, v.args[2]) + operand(v, 0) * operand(v, 1);
  case Op::Sub:
    return addTo(sum, v.args[0]) - operand(v, 1);
  case Op::Neg:
    return sum - operand(v, 0);
  default:
    return sum + (*this)(id);
  }
}

void Exprs::sumUp(const Halide::Func &sums, const std::vector<Halide::Var> &at,
                  const Halide::RVar &record, bool keep) {
  const auto &outputs = inputs.kernel.term.outputs;
  const Expr zero = Halide::Internal::make_zero(inputs.real);
  define(sums(at), std::vector<Expr>(outputs.size(), zero));
  std::vector<Expr> added = valuesAt(sums(at));
  bool anyRecord = false;
  for (std::size_t k = 0; k < outputs.size(); ++k) {
    added[k] = addTo(added[k], outputs[k].value);
    anyRecord |= passes::ofRecord(value(outputs[k].value));
  }
  if (!anyRecord) // still a loop over the records: name it
    added[0] = Halide::select(record < 0, zero, added[0]);
  define(sums(at), keep ? kept(added) : added);
}

} // namespace facet::lower
