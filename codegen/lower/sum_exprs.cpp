// sum_exprs.cpp - the translation of IR values to Halide expressions, op by op.
#include "sum_exprs.h"
#include "schedules/targets.h"
#include <algorithm>
#include <fmt/format.h>

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

[[noreturn]] void refuse(const ir::Value &value, std::string_view why) {
  throw ir::Error{fmt::format("cannot lower '{}': {}", ir::info(value.op).spelling, why),
                  value.loc};
}

/// The device's own function. libdevice's sine, Halide's for CUDA, takes 705 instructions.
Expr hardware(const ir::Value &value, const Expr &x, const std::string &target) {
  struct Row {
    Op op;
    const char *cuda, *opencl;
  };
  static constexpr Row table[] = {
      {Op::HardwareSin, "llvm.nvvm.sin.approx.ftz.f", "native_sin"},
      {Op::HardwareCos, "llvm.nvvm.cos.approx.ftz.f", "native_cos"},
      {Op::HardwareExp2, "llvm.nvvm.ex2.approx.ftz.f", "native_exp2"},
  };
  const schedules::TargetInfo *info = schedules::findTarget(target);
  if (!info || !schedules::isDevice(*info))
    refuse(value, fmt::format("target {} is a CPU, which has no such function: run the passes "
                              "without the knob hardware, or lower for a device",
                              target));
  if (x.type() != Halide::Float(32))
    refuse(value, "devices have it in single precision alone: run the passes for the class f32");
  for (const Row &row : table)
    if (row.op == value.op)
      return Call::make(x.type(), info->architecture == "cuda" ? row.cuda : row.opencl, {x},
                        Call::PureExtern);
  refuse(value, "no function of a device");
}

} // namespace

Halide::Tuple kept(const Halide::Tuple &sums) {
  std::vector<Expr> made;
  for (const Expr &sum : sums.as_vector()) {
    const Expr whole = reinterpret(bitsOf(sum.type()), sum);
    const Expr low = Halide::Internal::make_const(whole.type(), 0xffff);
    made.push_back(reinterpret(sum.type(), ((whole >> 16) << 16) | (whole & low)));
  }
  return Halide::Tuple(made);
}

bool hasRemainders(const ir::Region &term, const std::function<bool(std::uint8_t)> &domain) {
  return std::any_of(term.values.begin(), term.values.end(), [&](const ir::Value &value) {
    return value.op == Op::Round && domain(value.domain);
  });
}

Exprs::Exprs(const Inputs &inputs, Scope scope) : inputs(inputs), scope(std::move(scope)) {
  const ir::Region &term = inputs.kernel.term;
  uses.resize(term.values.size());
  for (const ir::Value &v : term.values)
    for (int k = 0; k < ir::info(v.op).arity; ++k)
      ++uses[static_cast<std::size_t>(v.args[k])];
  for (const ir::Output &output : term.outputs)
    ++uses[static_cast<std::size_t>(output.value)];
}

const ir::Value &Exprs::value(ir::Id id) const {
  return inputs.kernel.term.values[static_cast<std::size_t>(id)];
}

Expr Exprs::operator()(ir::Id id) {
  if (const auto made = scope.made.find(id); made != scope.made.end())
    return made->second;
  Expr &expr = memo[id];
  if (!expr.defined()) {
    Expr fresh = make(value(id));
    memo[id] = fresh;
    return fresh;
  }
  return expr;
}

Expr Exprs::leaf(const ir::Value &v, bool inDouble) {
  const Halide::Type type = inDouble ? Halide::Float(64) : inputs.real;
  switch (v.op) {
  case Op::Number:
    return Halide::Internal::make_const(type, v.number);
  case Op::Packed:
    if (const auto copied = scope.columns.find(v.name); copied != scope.columns.end())
      return cast(v.type == ir::Type::Wide ? Halide::Float(64) : type, copied->second);
    return cast(v.type == ir::Type::Wide ? Halide::Float(64) : type,
                inputs.column(v.name, scope.t));
  case Op::Param:
    return cast(type, inputs.params.at(v.name));
  case Op::Axis: {
    if (v.component < 0)
      refuse(v, "q as a vector is left: the expand pass has not run");
    const ir::Part part = v.part == ir::Part::Im ? ir::Part::Im : ir::Part::Re;
    if (const auto made = scope.axes.find({v.component, part}); made != scope.axes.end())
      return made->second[inDouble];
    const auto k = static_cast<std::size_t>(v.component);
    return cast(type, (part == ir::Part::Im ? inputs.im : inputs.re)[k](scope.at[k]));
  }
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
  const ir::Id id = user.args[static_cast<std::size_t>(k)];
  if (user.type == ir::Type::Wide && value(id).type != ir::Type::Bool)
    return inDouble(id);
  if (user.type == ir::Type::Bool) { // comparisons join their operands
    for (int j = 0; j < ir::info(user.op).arity; ++j)
      if (value(user.args[static_cast<std::size_t>(j)]).type == ir::Type::Wide)
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
  Expr &expr = biasedMemo[id];
  if (!expr.defined()) {
    Expr a = operand(*v, 0);
    Expr sum = strict(Call::strict_add, a, bias(a.type()));
    biasedMemo[id] = sum;
    return sum;
  }
  return expr;
}

Expr Exprs::make(const ir::Value &v) {
  if (ir::isLeaf(v.op))
    return leaf(v, false);
  const auto a = [&] { return operand(v, 0); };
  const auto b = [&] { return operand(v, 1); };
  const auto c = [&] { return operand(v, 2); };
  switch (v.op) {
  case Op::Add:
    return a() + b();
  case Op::Sub:
    // 2^k - 1 of 2^a - 1 = p 2^k + (2^k - 1): LLVM would add the two powers first and lose what is
    // small where k = 0.
    // a - round(a): Halide and LLVM would move a constant of a past the round, where it meets the
    // large bias and is lost.
    if (value(v.args[0]).op == Op::Scale2 || value(v.args[1]).op == Op::Round)
      return strict(Call::strict_sub, a(), b());
    return a() - b();
  case Op::Mul:
    return a() * b();
  case Op::Div:
    // A reciprocal of many products: LLVM would divide each of them, which costs ten times as much.
    if (value(v.args[0]).op == Op::Number)
      return strict(Call::strict_div, a(), b());
    return a() / b();
  case Op::Neg:
    return -a();
  case Op::Fma: // fused where the target can
    return a() * b() + c();
  case Op::Min:
    return Halide::min(a(), b());
  case Op::Max:
    return Halide::max(a(), b());
  case Op::Re:
    return a();
  case Op::Abs:
    return Halide::abs(a());
  case Op::Sqrt:
    return Halide::sqrt(a());
  case Op::Less:
    return a() < b();
  case Op::LessEqual:
    return a() <= b();
  case Op::Equal:
    return a() == b();
  case Op::And:
    return a() && b();
  case Op::Or:
    return a() || b();
  case Op::Not:
    return !a();
  case Op::Select:
    return Halide::select(a(), b(), c());
  case Op::Widen:
    return inDouble(v.args[0]);
  case Op::Narrow:
    return cast(inputs.real, (*this)(v.args[0]));
  case Op::Round: {
    Expr sum = biased(static_cast<ir::Id>(&v - inputs.kernel.term.values.data()));
    return strict(Call::strict_sub, sum, bias(sum.type()));
  }
  case Op::NegateIfOdd: {
    Expr x = a();
    return reinterpret(x.type(),
                       reinterpret(bitsOf(x.type()), x) ^ signMask(biased(v.args[1]), x.type()));
  }
  case Op::HardwareSin:
  case Op::HardwareCos:
  case Op::HardwareExp2:
    return hardware(v, a(), inputs.target);
  case Op::Scale2: {
    // 2^b by its exponent bits: those of 1, plus b at the place of the exponent.
    Expr x = a(), sum = biased(v.args[1]);
    const bool single = x.type().bits() == 32;
    const double lowest = single ? -126 : -1022, highest = single ? 127 : 1023;
    const auto at = [&](double k) { return bias(sum.type()) + Halide::cast(sum.type(), Expr(k)); };
    sum = Halide::max(Halide::min(sum, at(highest)), at(lowest));
    const Halide::Type as = bitsOf(x.type());
    Expr bits = reinterpret(bitsOf(sum.type()), sum);
    if (bits.type() != as)
      bits = cast(as, bits);
    const Expr shift = Halide::Internal::make_const(as, single ? 23 : 52);
    const Expr one = reinterpret(as, Halide::Internal::make_const(x.type(), 1.0));
    return x * reinterpret(x.type(), (bits << shift) + one);
  }
  default:
    refuse(v, "no machine form; the passes that replace it have not run");
  }
}

Expr Exprs::addTo(const Expr &sum, ir::Id id) {
  const ir::Value &v = value(id);
  const bool shared = uses[static_cast<std::size_t>(id)] > 1 || scope.made.count(id);
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

Halide::Tuple Exprs::addTerm(const Halide::Tuple &sums, const Expr &record) {
  const auto &outputs = inputs.kernel.term.outputs;
  Expr re = addTo(sums[0], outputs[0].value);
  const Expr im = outputs.size() > 1 ? addTo(sums[1], outputs[1].value) : sums[1];
  bool anyRecord = false;
  for (const ir::Output &output : outputs)
    anyRecord |= (value(output.value).domain & ir::T) != 0;
  if (!anyRecord) // still a loop over the records: name it
    re = Halide::select(record < 0, Halide::Internal::make_zero(inputs.real), re);
  return {re, im};
}

} // namespace facet::lower
