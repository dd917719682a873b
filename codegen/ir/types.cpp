// types.cpp - the type and the domain of every value, derived from its op and its operands.
#include "ir.h"
#include <algorithm>
#include <fmt/format.h>

namespace facet::ir {

std::span<const OpInfo> ops() {
  static constexpr OpInfo table[] = {
#define FACET_OP(Enum, spelling, arity, rule, traits, flops, instructions, value, c, language,     \
                 machine, doc)                                                                     \
  {Op::Enum, spelling, arity, Rule::rule, traits, flops, instructions, c, language, false, doc},
#define FACET_FUNCTION(Enum, spelling, arity, rule, traits, flops, instructions, value, c, use,    \
                       machine, doc)                                                               \
  {Op::Enum, spelling, arity, Rule::rule, traits, flops, instructions, c, use, true, doc},
#include "ops.def"
  };
  return table;
}

const OpInfo &info(Op op) { return ops()[static_cast<int>(op)]; }

std::string_view spelling(Type type) {
  static constexpr std::string_view names[] = {"bool", "real", "wide", "cplx", "vec3", "cvec3"};
  return names[static_cast<int>(type)];
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

/// The type of a leaf; none of them has operands.
Type leafType(const Kernel &kernel, const Value &value) {
  switch (value.op) {
  case Op::Unit:
    return Type::Cplx;
  case Op::Field:
    if (const auto found = std::ranges::find(kernel.fields, value.name, &Field::name);
        found != kernel.fields.end())
      return found->type;
    throw Error{fmt::format("the record has no column '{}'", value.name), value.loc};
  case Op::Packed:
    if (const auto found = std::ranges::find(kernel.pack.outputs, value.name, &Output::name);
        found != kernel.pack.outputs.end())
      return kernel.pack[found->value].type;
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
    const Type type = kernel.axes.at(value.component).type;
    if (value.part != Part::Whole && type != Type::Cplx)
      throw Error{fmt::format("q.{} is real: it has no parts re and im", "xyz"[value.component]),
                  value.loc};
    return value.part == Part::Whole ? type : Type::Real;
  }
  case Op::Param:
    if (std::ranges::count(slots(kernel), value.name) > 0)
      return Type::Real;
    throw Error{fmt::format("the kernel has no parameter '{}'", value.name), value.loc};
  case Op::Sum:
  case Op::Total:
    return value.part == Part::Whole ? Type::Cplx : Type::Real;
  default:
    return Type::Real;
  }
}

} // namespace

std::vector<std::string> slots(const Param &param) {
  const bool vector = isVector(param.type), complex = isComplex(param.type);
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
    return value.op == Op::Param && std::ranges::count(own, value.name) > 0;
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
    for (const Id id : value.operands())
      domain |= region[id].domain;
    return domain;
  }
  }
}

namespace {

/// What the rules look at: the types of an op's operands.
struct Operands {
  std::array<Type, 3> in{};
  bool allReal = true, allScalar = true, allVector = true, allBool = true, anyComplex = false,
       anyWide = false, anyVector = false;
  std::string seen;

  Operands(const Region &region, const Value &value) {
    const OpInfo &op = info(value.op);
    for (int k = 0; k < op.arity; ++k) {
      const Id id = value.args[k];
      if (id < 0 || id >= std::ssize(region.values))
        throw Error{fmt::format("{} takes {} operand(s): operand {} is missing", op.spelling,
                                op.arity, k + 1),
                    value.loc};
      const Type type = in[k] = region[id].type;
      allReal &= isReal(type);
      allScalar &= isScalar(type);
      allVector &= isVector(type);
      allBool &= type == Type::Bool;
      anyComplex |= isComplex(type);
      anyVector |= isVector(type);
      anyWide |= type == Type::Wide;
      seen += fmt::format("{}{}", k ? ", " : "", spelling(type));
    }
  }
  Type real() const { return anyWide ? Type::Wide : Type::Real; }
  Type scalar() const { return anyComplex ? Type::Cplx : real(); }
  Type component() const { return anyComplex ? Type::Cplx : Type::Real; }
  Type vector() const { return anyComplex ? Type::CVec3 : Type::Vec3; }
  bool isNumber(int k) const { return in[k] != Type::Bool; }
};

/// What a rule demands of the operands, also in words, and the type it gives.
struct RuleRow {
  bool (*fits)(const Operands &);
  std::string_view needs;
  Type (*type)(const Operands &);
};

bool reals(const Operands &x) { return x.allReal; }
bool scalars(const Operands &x) { return x.allScalar; }
bool vectors(const Operands &x) { return x.allVector; }
bool alike(const Operands &x) { return x.allScalar || x.allVector; }
Type joined(const Operands &x) { return x.anyVector ? x.vector() : x.scalar(); }
template <Type type> Type always(const Operands &) { return type; }
bool isProduct(const Operands &x) {
  return x.allScalar ||
         (isVector(x.in[0]) != isVector(x.in[1]) && x.isNumber(0) && x.isNumber(1) && !x.anyWide);
}
bool isQuotient(const Operands &x) {
  return x.allScalar || (isVector(x.in[0]) && isScalar(x.in[1]) && !x.anyWide);
}
bool isChoice(const Operands &x) {
  return x.in[0] == Type::Bool && isVector(x.in[1]) == isVector(x.in[2]) && x.isNumber(1) &&
         x.isNumber(2);
}

/// In the order of Rule, Leaf apart.
constexpr RuleRow rules[] = {
    {alike, "scalars only or vectors only", joined},                     // Same
    {isProduct, "at most one vector, and numbers", joined},              // Scalar
    {isQuotient, "a scalar to divide by", joined},                       // Quotient
    {scalars, "a scalar", joined},                                       // Elementary
    {scalars, "a scalar", [](auto &x) { return x.real(); }},             // ToReal
    {scalars, "scalars", always<Type::Cplx>},                            // Cplx
    {reals, "reals", [](auto &x) { return x.real(); }},                  // Real
    {reals, "reals", [](auto &x) { return x.in[0]; }},                   // First
    {reals, "two reals", always<Type::Cplx>},                            // Pair
    {reals, "two reals", always<Type::Bool>},                            // Test
    {[](auto &x) { return x.allBool; }, "bools", always<Type::Bool>},    // Logic
    {reals, "a real", always<Type::Wide>},                               // ToWide
    {reals, "a real", always<Type::Real>},                               // ToNarrow
    {isChoice, "a bool and two values of one kind", joined},             // Choose
    {vectors, "two vectors", [](auto &x) { return x.component(); }},     // Dot
    {vectors, "two vectors", [](auto &x) { return x.vector(); }},        // Cross
    {[](auto &x) { return x.allScalar && !x.anyWide; }, "three scalars", //
     [](auto &x) { return x.vector(); }},                                // Vec
    {vectors, "a vector", [](auto &x) { return x.component(); }},        // Component
    {alike, "a scalar or a vector", [](auto &x) { return x.real(); }},   // Size
};

} // namespace

Type typeOf(const Kernel &kernel, const Region &region, const Value &value) {
  const OpInfo &op = info(value.op);
  if (op.rule == Rule::Leaf)
    return leafType(kernel, value);
  const Operands operands(region, value);
  const RuleRow &rule = rules[static_cast<int>(op.rule) - 1];
  if (!rule.fits(operands))
    throw Error{fmt::format("{} needs {}, not {}", op.spelling, rule.needs, operands.seen),
                value.loc};
  return rule.type(operands);
}

void annotate(Kernel &kernel) {
  for (Region *region : regionsOf(kernel))
    for (Value &value : region->values) {
      value.type = typeOf(kernel, *region, value);
      value.domain = domainOf(kernel, *region, value);
    }
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
