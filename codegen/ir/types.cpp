// types.cpp - the type, the domain and the place of every value, derived from its op and its
// operands as it is appended to a region.
#include "builder.h"
#include <algorithm>
#include <bit>
#include <fmt/format.h>
#include <tuple>

namespace facet::ir {

std::span<const OpInfo> ops() {
  static constexpr OpInfo table[] = {
#define FACET_OP(Enum, spelling, arity, rule, traits, flops, instructions, value, slope, c,        \
                 language, machine, doc)                                                           \
  {Op::Enum, spelling, arity, Rule::rule, traits, flops, instructions, c, language, false, doc},
#define FACET_FUNCTION(Enum, spelling, arity, rule, traits, flops, instructions, value, slope, c,  \
                       use, machine, doc)                                                          \
  {Op::Enum, spelling, arity, Rule::rule, traits, flops, instructions, c, use, true, doc},
#include "ops.def"
  };
  return table;
}

const OpInfo &info(Op op) { return ops()[static_cast<int>(op)]; }

const OpInfo *functionNamed(std::string_view name) {
  const auto found = std::ranges::find_if(
      ops(), [&](const OpInfo &op) { return op.function && op.spelling == name; });
  return found == ops().end() ? nullptr : &*found;
}

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
    if (const Field *found = fieldNamed(kernel, value.name))
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
  case Op::Rest:
    return value.part == Part::Whole ? Type::Cplx : Type::Real;
  default:
    return Type::Real;
  }
}

/// The types of an op's operands, as the rules ask of them.
struct Operands {
  std::span<const Type> types;

  bool all(bool (*is)(Type)) const { return std::ranges::all_of(types, is); }
  bool any(bool (*is)(Type)) const { return std::ranges::any_of(types, is); }
  Type real() const { return any(isWide) ? Type::Wide : Type::Real; }
  Type component() const { return any(isComplex) ? Type::Cplx : Type::Real; }
  Type vector() const { return any(isComplex) ? Type::CVec3 : Type::Vec3; }
  Type joined() const { return any(isVector) ? vector() : any(isComplex) ? Type::Cplx : real(); }
  /// Whether a scalar or a vector is multiplied with, or divided by, the scalar `by`.
  bool scaled(int what, int by) const {
    return isScalar(types[by]) &&
           (isScalar(types[what]) || (isVector(types[what]) && !any(isWide)));
  }
  bool isChoice() const {
    const auto [condition, yes, no] = std::tuple(types[0], types[1], types[2]);
    return isBool(condition) && !isBool(yes) && !isBool(no) && isVector(yes) == isVector(no);
  }
};

/// What a rule demands of the operands, also in words, and the type it gives; Leaf apart.
struct RuleRow {
  bool (*fits)(const Operands &);
  std::string_view needs;
  Type (*type)(const Operands &);
};
constexpr RuleRow rules[] = {
#define FACET_RULE(Enum, fits, needs, type)                                                        \
  {[](const Operands &x) { return fits; }, needs, [](const Operands &x) { return type; }},
#include "ops.def"
};

} // namespace

Type typeOf(const Kernel &kernel, const Region &region, const Value &value) {
  const OpInfo &op = info(value.op);
  if (op.rule == Rule::Leaf)
    return leafType(kernel, value);
  std::array<Type, 3> types{};
  for (int k = 0; k < op.arity; ++k) {
    const Id id = value.args[k];
    if (id < 0 || id >= std::ssize(region.values))
      throw Error{fmt::format("{} takes {} operand(s): operand {} is missing", op.spelling,
                              op.arity, k + 1),
                  value.loc};
    types[k] = region[id].type;
  }
  const Operands operands{std::span(types).first(op.arity)};
  const RuleRow &rule = rules[static_cast<int>(op.rule) - 1];
  if (rule.fits(operands))
    return rule.type(operands);
  std::string seen;
  for (const Type type : operands.types)
    seen += fmt::format("{}{}", seen.empty() ? "" : ", ", spelling(type));
  throw Error{fmt::format("{} needs {}, not {}", op.spelling, rule.needs, seen), value.loc};
}

std::string_view spelling(const Param &param) {
  return param.matrix ? "mat3" : spelling(param.type);
}

const Field *fieldNamed(const Kernel &kernel, std::string_view name) {
  const auto found = std::ranges::find(kernel.fields, name, &Field::name);
  return found == kernel.fields.end() ? nullptr : &*found;
}

const Field *axisField(const Kernel &kernel) {
  const auto found = std::ranges::find_if(
      kernel.fields, [](const Field &field) { return field.axis >= 0 && field.axis != ofPoints; });
  return found == kernel.fields.end() ? nullptr : &*found;
}

const Field *pointField(const Kernel &kernel) {
  const auto found = std::ranges::find(kernel.fields, ofPoints, &Field::axis);
  return found == kernel.fields.end() ? nullptr : &*found;
}

std::vector<std::string> slots(const Param &param) {
  if (param.matrix) {
    std::vector<std::string> all;
    for (const std::string_view row : {".x", ".y", ".z"})
      for (const std::string &slot : slots({fmt::format("{}{}", param.name, row), Type::Vec3}))
        all.push_back(slot);
    return all;
  }
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
  case Op::Field: {
    const Field *field = fieldNamed(kernel, value.name);
    if (field != nullptr && field->axis == ofPoints)
      return axes;
    const bool ofAxis = field != nullptr && field->axis >= 0;
    return ofAxis ? static_cast<std::uint8_t>((axes & (X << field->axis | Q)) | T)
                  : static_cast<std::uint8_t>(T);
  }
  case Op::Packed:
    return T;
  case Op::Sum:
  case Op::Rest:
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

void annotate(Kernel &kernel) {
  for (Region *region : regionsOf(kernel))
    for (Value &value : region->values) {
      value.type = typeOf(kernel, *region, value);
      value.domain = domainOf(kernel, *region, value);
    }
}

std::vector<Id> prune(Region &region) {
  std::vector<bool> needed(region.values.size());
  for (const Output &output : region.outputs)
    needed[output.value] = true;
  for (auto id = static_cast<Id>(region.values.size()); id-- > 0;)
    if (needed[id])
      for (const Id arg : region[id].operands())
        needed[arg] = true;

  std::vector<Id> renamed(region.values.size(), -1), kept;
  std::vector<Value> values;
  for (Id id = 0; id < std::ssize(needed); ++id) {
    if (!needed[id])
      continue;
    renamed[id] = static_cast<Id>(kept.size());
    kept.push_back(id);
    values.push_back(std::move(region[id]));
    for (Id &arg : values.back().operands())
      arg = renamed[arg];
  }
  region.values = std::move(values);
  for (Output &output : region.outputs)
    output.value = renamed[output.value];
  return kept;
}

Id Builder::append(Value value) {
  if (value.op != Op::Packed) // a packed column's type is what the pack pass says
    value.type = typeOf(kernel, region, value);
  value.domain = domainOf(kernel, region, value);
  region.values.push_back(std::move(value));
  return static_cast<Id>(region.values.size()) - 1;
}

Id Builder::leaf(Value value) {
  const auto same = std::ranges::find_if(region.values, [&](const Value &other) {
    // Bits, not ==: -0 and 0 are different numbers, a NaN is itself.
    return other.op == value.op && other.name == value.name && other.component == value.component &&
           other.part == value.part &&
           std::bit_cast<std::uint64_t>(other.number) == std::bit_cast<std::uint64_t>(value.number);
  });
  return same == region.values.end() ? append(std::move(value))
                                     : static_cast<Id>(same - region.values.begin());
}

std::string partName(const std::string &component, std::string_view part) {
  return component.empty() ? std::string(part) : fmt::format("{}.{}", component, part);
}

std::vector<std::pair<std::string, bool>> outputsOf(const Kernel &kernel) {
  std::vector<std::pair<std::string, bool>> outputs;
  for (const auto &[name, re, im] : componentsOf(kernel.finish)) {
    const Output &output = kernel.finish.outputs[static_cast<std::size_t>(re)];
    outputs.emplace_back(name, im >= 0 || isComplex(kernel.finish[output.value].type));
  }
  return outputs;
}

bool isOutputName(std::string_view name) {
  static constexpr std::string_view own[] = {"title", "process"},
                                    endings[] = {"_image", "_curve", "_scatter", "_volume"};
  return std::ranges::find(own, name) == std::end(own) &&
         std::ranges::none_of(endings, [&](std::string_view end) { return name.ends_with(end); });
}

std::vector<Component> componentsOf(const Region &region) {
  std::vector<Component> components;
  const auto &outputs = region.outputs;
  for (std::size_t k = 0; k < outputs.size(); ++k) {
    const std::string &name = outputs[k].name;
    Component component{name, static_cast<int>(k)};
    if (name == "re" || name.ends_with(".re")) {
      component.name = name.substr(0, name.size() - (name == "re" ? 2 : 3));
      if (k + 1 < outputs.size() && outputs[k + 1].name == partName(component.name, "im"))
        component.im = static_cast<int>(++k);
    }
    components.push_back(std::move(component));
  }
  return components;
}

int totalsOf(const Kernel &kernel) {
  const auto &outputs = kernel.totals.outputs;
  int count = 0;
  for (std::size_t k = 0; k < outputs.size(); ++k, ++count) {
    const std::string b = fmt::format("b{}", count);
    const bool pair =
        outputs[k].name == b + "re" && k + 1 < outputs.size() && outputs[k + 1].name == b + "im";
    if (!pair && outputs[k].name != b)
      throw Error{fmt::format("totals: '{}' where {} is to stand", outputs[k].name, b), {}};
    k += pair ? 1 : 0;
  }
  return count;
}

std::vector<int> scalarsRead(const Kernel &kernel, const Region &region) {
  std::vector<int> read;
  for (const Value &value : region.values) {
    int &bits = read.emplace_back();
    for (const Id arg : value.operands())
      bits |= read[arg];
    for (std::size_t s = 0; value.op == Op::Param && s < kernel.scalars.outputs.size(); ++s)
      bits |= value.name == kernel.scalars.outputs[s].name ? 1 << s : 0;
  }
  return read;
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
  const std::vector<int> read = scalarsRead(kernel, kernel.waves);
  const auto value = [&](int output) { return kernel.waves[outputs[output].value]; };
  for (Wave &wave : waves) {
    const bool noPoints = std::ranges::all_of(wave.point, [&](int output) {
      return value(output).op == Op::Number && value(output).number == 0;
    });
    for (Wave::Strength &b : wave.strengths) {
      b.realSum = noPoints && b.im < 0 && isReal(value(b.re).type);
      for (const int output : {b.re, b.im})
        wave.scalars |= output < 0 ? 0 : read[outputs[output].value];
    }
  }
  return waves;
}

// Placement ---------------------------------------------------------------------------

Place placeOf(std::uint8_t domain) {
  using enum Place;
  const bool row = hasRow(domain), z = hasZ(domain), record = (domain & T) != 0;
  if ((domain & Q) != 0 || (row && z))
    return record ? Inner : Axes;
  if (row)
    return record ? RowTable : RowAxis;
  if (z)
    return record ? ZTable : ZAxis;
  return record ? Record : Call;
}

std::string_view spelling(Place place) {
  static constexpr std::string_view names[] = {"call",   "row axis",  "z axis",  "axes",
                                               "record", "row table", "z table", "inner"};
  return names[static_cast<int>(place)];
}

std::vector<Id> Placement::kept(std::initializer_list<Place> places) const {
  std::vector<bool> wanted(term.values.size());
  const auto want = [&](Id id) { // a column with an axis lies a table's row apart: kept, too
    wanted[id] = std::ranges::find(places, (*this)[id]) != places.end() &&
                 (!isLeaf(term[id].op) || term[id].op == Op::Field) && term[id].type != Type::Bool;
  };
  for (const Value &value : term.values)
    if (const Place by = placeOf(value.domain); by == Place::Inner || by == Place::Axes)
      std::ranges::for_each(value.operands(), want);
  for (const Output &output : term.outputs)
    want(output.value);
  // What only `round` makes is read with its bias, which a table would lose.
  for (const Value &value : term.values)
    if (value.op == Op::NegateIfOdd || value.op == Op::Scale2)
      wanted[value.args[1]] = false;
  std::vector<Id> ids;
  for (Id id = 0; id < std::ssize(wanted); ++id)
    if (wanted[id])
      ids.push_back(id);
  return ids;
}

bool Placement::hasRemainders(std::initializer_list<Place> places) const {
  return std::ranges::any_of(term.values, [&](const Value &value) {
    return value.op == Op::Round &&
           std::ranges::find(places, placeOf(value.domain)) != places.end();
  });
}

int Placement::innerOperations() const {
  return static_cast<int>(std::ranges::count_if(term.values, [](const Value &value) {
    return !isLeaf(value.op) && placeOf(value.domain) == Place::Inner;
  }));
}

} // namespace facet::ir
