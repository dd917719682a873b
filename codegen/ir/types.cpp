// types.cpp - the type and the domain of every value, derived from its op and its operands.
#include "ir.h"
#include <algorithm>
#include <fmt/format.h>

namespace facet::ir {

const OpInfo &info(Op op) {
  static constexpr OpInfo table[] = {
#define FACET_OP(Enum, spelling, arity, rule, flops, doc)                                          \
  {Op::Enum, spelling, arity, Rule::rule, flops, doc},
#include "ops.def"
  };
  return table[static_cast<std::size_t>(op)];
}

std::string_view spelling(Type type) {
  static constexpr std::string_view names[] = {"bool", "real", "wide", "cplx", "vec3", "cvec3"};
  return names[static_cast<std::size_t>(type)];
}

std::string spelling(std::uint8_t domain) {
  std::string text;
  for (auto [bit, name] : {std::pair{X, 'x'}, {Y, 'y'}, {Z, 'z'}, {Q, 'q'}, {T, 't'}})
    if (domain & bit)
      text += text.empty() ? std::string{name} : std::string{' ', name};
  return "[" + text + "]";
}

bool isLeaf(Op op) { return info(op).rule == Rule::Leaf; }

namespace {

bool isReal(Type type) { return type == Type::Real || type == Type::Wide; }
bool isScalar(Type type) { return isReal(type) || type == Type::Cplx; }

/// The type of a leaf; none of them has operands.
Type leafType(const Kernel &kernel, const Value &value) {
  switch (value.op) {
  case Op::Unit:
    return Type::Cplx;
  case Op::Field:
    for (const Field &field : kernel.fields)
      if (field.name == value.name)
        return field.type;
    throw Error{fmt::format("the record has no column '{}'", value.name), value.loc};
  case Op::Packed:
    for (const Output &output : kernel.pack.outputs)
      if (output.name == value.name)
        return kernel.pack.values.at(static_cast<std::size_t>(output.value)).type;
    throw Error{fmt::format("pack yields no column '{}'", value.name), value.loc};
  case Op::Axis: {
    if (value.component < 0) {
      if (value.part != Part::Whole)
        throw Error{"only a component of q has parts re and im", value.loc};
      for (const AxisType &axis : kernel.axes)
        if (axis.type == Type::Cplx)
          return Type::CVec3;
      return Type::Vec3;
    }
    const Type type = kernel.axes.at(static_cast<std::size_t>(value.component)).type;
    if (value.part != Part::Whole && type != Type::Cplx)
      throw Error{fmt::format("q.{} is real: it has no parts re and im", "xyz"[value.component]),
                  value.loc};
    return value.part == Part::Whole ? type : Type::Real;
  }
  case Op::Param:
    for (const std::string &slot : slots(kernel))
      if (slot == value.name)
        return Type::Real;
    throw Error{fmt::format("the kernel has no parameter '{}'", value.name), value.loc};
  case Op::Sum:
  case Op::Total:
    return value.part == Part::Whole ? Type::Cplx : Type::Real;
  default:
    return Type::Real;
  }
}

void annotate(const Kernel &kernel, Region &region) {
  for (Value &value : region.values) {
    value.type = typeOf(kernel, region, value);
    value.domain = domainOf(kernel, region, value);
  }
}

} // namespace

std::vector<std::string> slots(const Param &param) {
  const bool vector = param.type == Type::Vec3 || param.type == Type::CVec3;
  const bool complex = param.type == Type::Cplx || param.type == Type::CVec3;
  if (!vector && !complex && param.type != Type::Real)
    return {};
  std::vector<std::string> all;
  for (const std::string_view component : {".x", ".y", ".z"})
    for (const std::string_view part : {".re", ".im"})
      if ((vector || component == ".x") && (complex || part == ".re"))
        all.push_back(
            fmt::format("{}{}{}", param.name, vector ? component : "", complex ? part : ""));
  return all;
}

std::vector<std::string> slots(const Kernel &kernel) {
  std::vector<std::string> all;
  for (const Param &param : kernel.params)
    for (std::string &slot : slots(param))
      all.push_back(std::move(slot));
  return all;
}

bool reads(const Region &region, const Param &param) {
  const std::vector<std::string> own = slots(param);
  return std::ranges::any_of(region.values, [&](const Value &value) {
    return value.op == Op::Param && std::ranges::find(own, value.name) != own.end();
  });
}

std::uint8_t domainOf(const Kernel &kernel, const Region &region, const Value &value) {
  const std::uint8_t axes = kernel.grid == GridKind::Points ? Q : X | Y | Z;
  switch (value.op) {
  case Op::Field:
  case Op::Packed:
    return T;
  case Op::Sum:
    return axes;
  case Op::Axis:
    if (value.component < 0 || kernel.grid == GridKind::Points)
      return axes;
    return static_cast<std::uint8_t>(X << value.component);
  default: {
    std::uint8_t domain = None;
    for (int k = 0; k < info(value.op).arity; ++k)
      domain |= region.values[static_cast<std::size_t>(value.args[k])].domain;
    return domain;
  }
  }
}

Type typeOf(const Kernel &kernel, const Region &region, const Value &value) {
  const OpInfo &op = info(value.op);
  if (op.rule == Rule::Leaf)
    return leafType(kernel, value);

  std::array<Type, 3> in{};
  bool allReal = true, allScalar = true, allVector = true, allBool = true, anyComplex = false,
       anyWide = false;
  std::string seen;
  for (int k = 0; k < op.arity; ++k) {
    const Id id = value.args[k];
    if (id < 0 || static_cast<std::size_t>(id) >= region.values.size())
      throw Error{fmt::format("{} takes {} operand(s): operand {} is missing", op.spelling,
                              op.arity, k + 1),
                  value.loc};
    in[k] = region.values[static_cast<std::size_t>(id)].type;
    allReal &= isReal(in[k]);
    allScalar &= isScalar(in[k]);
    allVector &= isVector(in[k]);
    allBool &= in[k] == Type::Bool;
    anyComplex |= isComplex(in[k]);
    anyWide |= in[k] == Type::Wide;
    seen += fmt::format("{}{}", k ? ", " : "", spelling(in[k]));
  }
  const auto need = [&](bool holds, std::string_view what) {
    if (!holds)
      throw Error{fmt::format("{} needs {}, not {}", op.spelling, what, seen), value.loc};
  };
  const Type real = anyWide ? Type::Wide : Type::Real;
  const Type scalar = anyComplex ? Type::Cplx : real;
  const Type vector = anyComplex ? Type::CVec3 : Type::Vec3;

  switch (op.rule) {
  case Rule::Same:
    need(allScalar || allVector, "scalars only or vectors only");
    return allVector ? vector : scalar;
  case Rule::Scalar:
    if (allScalar)
      return scalar;
    if (value.op == Op::Div)
      need(isVector(in[0]) && isScalar(in[1]) && !anyWide, "a scalar to divide by");
    else
      need(isVector(in[0]) != isVector(in[1]) && !allBool && in[0] != Type::Bool &&
               in[1] != Type::Bool && !anyWide,
           "at most one vector, and numbers");
    return vector;
  case Rule::Real:
    need(allReal, "reals");
    // The integer of these two changes sign or exponent only: a real stays one beside a wide phase.
    return value.op == Op::NegateIfOdd || value.op == Op::Scale2 ? in[0] : real;
  case Rule::ToReal:
    if (value.op == Op::Norm2 || value.op == Op::Norm)
      need(allScalar || allVector, "a scalar or a vector");
    else
      need(allScalar, "a scalar");
    return real;
  case Rule::Cplx:
    need(value.op == Op::Complex ? allReal : allScalar,
         value.op == Op::Complex ? "two reals" : "scalars");
    return Type::Cplx;
  case Rule::Elementary:
    need(allScalar, "a scalar");
    return scalar;
  case Rule::Test:
    need(allReal, "two reals");
    return Type::Bool;
  case Rule::Logic:
    need(allBool, "bools");
    return Type::Bool;
  case Rule::Choose: {
    need(in[0] == Type::Bool && isVector(in[1]) == isVector(in[2]) && in[1] != Type::Bool &&
             in[2] != Type::Bool,
         "a bool and two values of one kind");
    return isVector(in[1]) ? vector : scalar;
  }
  case Rule::Dot:
    need(allVector, "two vectors");
    return anyComplex ? Type::Cplx : Type::Real;
  case Rule::Cross:
    need(allVector, "two vectors");
    return vector;
  case Rule::Vec:
    need(allScalar && !anyWide, "three scalars");
    return vector;
  case Rule::Component:
    need(allVector, "a vector");
    return anyComplex ? Type::Cplx : Type::Real;
  case Rule::ToWide:
    need(allReal, "a real");
    return Type::Wide;
  case Rule::ToNarrow:
    need(allReal, "a real");
    return Type::Real;
  case Rule::Leaf:
    break;
  }
  return Type::Real;
}

void annotate(Kernel &kernel) {
  // The packed columns' types come from pack, so pack goes first.
  for (Region *region :
       {&kernel.pack, &kernel.term, &kernel.waves, &kernel.totals, &kernel.finish, &kernel.origin})
    annotate(kernel, *region);
}

std::vector<Wave> wavesOf(const Kernel &kernel) {
  std::vector<Wave> waves;
  int transforms = 0;
  const auto &outputs = kernel.waves.outputs;
  const auto is = [&](std::size_t k, const std::string &name) {
    return k < outputs.size() && outputs[k].name == name;
  };
  for (std::size_t k = 0; k < outputs.size();) {
    const auto at = static_cast<int>(k);
    const std::string wave = std::to_string(waves.size()), b = "b" + std::to_string(transforms);
    if (is(k, "x" + wave) && is(k + 1, "y" + wave) && is(k + 2, "z" + wave)) {
      waves.push_back({{at, at + 1, at + 2}, {}});
      k += 3;
    } else if (!waves.empty() && is(k, b + "re") && is(k + 1, b + "im")) {
      waves.back().strengths.push_back({transforms++, at, at + 1});
      k += 2;
    } else if (!waves.empty() && (is(k, b) || is(k, b + "re"))) {
      waves.back().strengths.push_back({transforms++, at, -1});
      ++k;
    } else {
      throw Error{fmt::format("waves: '{}' where a point (x{}, y{}, z{}) or {} is to stand",
                              outputs[k].name, wave, wave, wave, b),
                  {}};
    }
  }
  return waves;
}

} // namespace facet::ir
