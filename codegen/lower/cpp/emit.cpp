// emit.cpp - IR values as C++ statements, by the table of operations; a kernel before any pass as a
// kernel file, which gives .fir input its reference.
#include "emit.h"
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <optional>
#include <set>

namespace facet::lower {
namespace {

std::string_view typeName(ir::Type type, CppForm form) {
  if (type != ir::Type::Bool && form == CppForm::Double)
    return "double";
  return type == ir::Type::Wide ? "real" : ir::spelling(type);
}

[[noreturn]] void refuse(const ir::Value &value, CppForm form) {
  const auto op = ir::info(value.op).spelling;
  throw ir::Error{
      form == CppForm::Double
          ? fmt::format("'{}' of {} values is left after the passes; C++ is made from real "
                        "ones only",
                        op, ir::spelling(value.type))
          : fmt::format("'{}' is made by passes and has no name in the language; give the "
                        "kernel as it was before the passes",
                        op),
      value.loc};
}

int indexOf(const std::vector<std::string> &names, const std::string &name, ir::Loc loc) {
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end())
    throw ir::Error{fmt::format("no column or parameter is called '{}'", name), loc};
  return static_cast<int>(found - names.begin());
}

bool isNamedLeaf(ir::Op op) {
  return op == ir::Op::Field || op == ir::Op::Packed || op == ir::Op::Axis || op == ir::Op::Param ||
         op == ir::Op::Sum || op == ir::Op::Total || op == ir::Op::Rest;
}

using Leaf = std::function<std::string(const ir::Value &)>;

/// What a value is called that needs no statement.
std::optional<std::string> nameOf(const ir::Region &region, const ir::Value &value, CppForm form,
                                  const Leaf &leaf) {
  if (value.op == ir::Op::Number)
    return cppNumber(value.number);
  if (value.op == ir::Op::Unit && form == CppForm::Language)
    return "i";
  // A vector is not one double; its components are named one by one.
  if (isNamedLeaf(value.op))
    return ir::isVector(value.type) && form == CppForm::Double ? "" : leaf(value);
  if (value.op == ir::Op::Component && form == CppForm::Double) {
    ir::Value part = region[value.args[0]];
    part.component = value.component;
    if (isNamedLeaf(part.op))
      return leaf(part); // one column
  }
  return std::nullopt;
}

const std::set<std::string, std::less<>> builtIn = {
#define FACET_TRIANGLE(name, is_vector, power, moves, doc) #name,
#include "dsl/facet/triangle.def"
};

std::string axisType(const ir::AxisType &axis) {
  const std::string_view type = axis.type == ir::Type::Cplx ? "cplx" : "real";
  return axis.fixed > 0 ? fmt::format("fixed<{}, {}>", axis.fixed, type) : std::string(type);
}

/// The member for a column with an axis; "" for the second number of a complex one. `complex`:
/// those that have been seen.
std::string axisMember(const ir::Field &field, std::set<std::string> &complex) {
  const auto dot = field.name.find('.');
  const std::string stem = field.name.substr(0, dot);
  const bool real = dot == std::string::npos;
  if (!real && !complex.insert(stem).second)
    return "";
  return fmt::format("  per<{}, {}> {};\n", "XYZ"[field.axis], real ? "real" : "cplx", stem);
}

/// The name in C++ of a component of the term: n, m_x; m_x_ if another is named m_x.
std::string memberName(const ir::Component &component, const std::vector<ir::Component> &all) {
  std::string name = component.name;
  if (std::ranges::replace(name, '.', '_'); name == component.name)
    return name;
  while (std::ranges::count(all, name, &ir::Component::name) > 0)
    name += '_';
  return name;
}

std::string sourceLeaf(const ir::Value &value, const std::vector<ir::Component> &components) {
  if (value.op == ir::Op::Packed || value.op == ir::Op::Total || value.op == ir::Op::Rest)
    throw ir::Error{"packed columns are made by passes; give the kernel as it was before them",
                    value.loc};
  const bool whole = value.part == ir::Part::Whole;
  std::string name = value.op == ir::Op::Field   ? "t." + value.name
                     : value.op == ir::Op::Param ? "p." + value.name
                     : value.op == ir::Op::Axis  ? "q"
                     // always complex in the text; a kernel of real terms reads its real part
                     : value.component >= 0
                         ? "sum." + memberName(components.at(value.component), components)
                     : whole && value.type != ir::Type::Cplx ? "re(sum)"
                                                             : "sum";
  if (value.component >= 0 && value.op != ir::Op::Sum)
    name += fmt::format(".{}", "xyz"[value.component]);
  return whole ? name : fmt::format("{}({})", value.part == ir::Part::Re ? "re" : "im", name);
}

/// A function of the kernel that returns a number, or, of numbers with names, a struct of this
/// name.
std::string function(const ir::Kernel &kernel, const ir::Region &region, std::string_view name,
                     std::string_view arguments, const std::string &structName) {
  const std::vector<ir::Component> of = ir::componentsOf(kernel.term),
                                   components = ir::componentsOf(region);
  const CppBody body = cppBody(region, CppForm::Language, "    ",
                               [&](const ir::Value &value) { return sourceLeaf(value, of); });
  const bool several = !components.front().name.empty();
  std::string type = structName;
  std::vector<std::string> values;
  for (const auto &[unused, re, im] : components) {
    const bool cplx = im >= 0 || region.values[region.outputs[re].value].type == ir::Type::Cplx;
    if (!several)
      type = cplx ? "cplx" : "real";
    values.push_back(im < 0 ? body.outputs[re]
                            : fmt::format("{} + i * {}", body.outputs[re], body.outputs[im]));
  }
  const bool readsParams = std::ranges::count(region.values, ir::Op::Param, &ir::Value::op) > 0;
  return fmt::format("  static {} {}({}{}) {{\n{}    return {}{}{};\n  }}\n", type, name, arguments,
                     readsParams ? ", Params p" : "", body.statements, several ? "{" : "",
                     fmt::join(values, ", "), several ? "}" : "");
}

/// The struct of what a region yields with names, each a number: real if it is by its type. Where
/// that is more than a kernel file may yield, as for a tangent, the struct says what its members
/// are.
std::string numbersStruct(const ir::Region &region, const std::string &name) {
  std::string members;
  std::vector<std::string> each;
  const std::vector<ir::Component> components = ir::componentsOf(region);
  for (const ir::Component &component : components) {
    const bool real =
        component.im < 0 && ir::isReal(region.values[region.outputs[component.re].value].type);
    const std::string member = memberName(component, components);
    members += fmt::format("  {} {};\n", real ? "real" : "cplx", member);
    each.push_back(fmt::format("facet_visit({})", member));
  }
  if (each.size() > ir::mostOutputs)
    members +=
        fmt::format("  template <class F> constexpr void facet_each(F facet_visit) {{ {}; }}\n",
                    fmt::join(each, ", "));
  return fmt::format("struct {} {{\n{}}};\n\n", name, members);
}

} // namespace

std::string cppForm(ir::Op op, CppForm form) {
  const ir::OpInfo &info = ir::info(op);
  if (form == CppForm::Double)
    return std::string(info.c);
  if (!info.function)
    return std::string(info.language);
  static constexpr std::string_view operands[] = {"", "({0})", "({0}, {1})", "({0}, {1}, {2})"};
  return fmt::format("{}{}", info.spelling, operands[info.arity]);
}

std::string cppNumber(double value) {
  if (std::isnan(value))
    return "__builtin_nan(\"\")";
  if (std::isinf(value))
    return value < 0 ? "(-__builtin_inf())" : "__builtin_inf()";
  std::array<char, 32> digits{};
  const auto end =
      std::to_chars(digits.data(), digits.data() + digits.size(), std::fabs(value)).ptr;
  std::string text(digits.data(), end);
  if (text.find_first_of(".e") == std::string::npos)
    text += ".0"; // else C++ would read an int
  return std::signbit(value) ? fmt::format("(-{})", text) : text;
}

std::string_view cppPrelude() {
  return R"(static inline double round_(double a) { return __builtin_nearbyint(a); }
static inline double negate_if_odd_(double a, double b) {
  return b == 2 * __builtin_nearbyint(b / 2) ? a : -a;
}
static inline double sinpi_(double a) { // reduced exactly before pi is rounded in
  const double k = __builtin_nearbyint(a);
  return negate_if_odd_(__builtin_sin((a - k) * 3.14159265358979323846), k);
}
static inline double cospi_(double a) {
  const double k = __builtin_nearbyint(a);
  return negate_if_odd_(__builtin_cos((a - k) * 3.14159265358979323846), k);
}
static inline double sinc_(double a) { return a == 0 ? 1 : __builtin_sin(a) / a; }
)";
}

CppBody cppBody(const ir::Region &region, CppForm form, std::string_view indent, const Leaf &leaf) {
  CppBody body;
  std::vector<std::string> names;
  int next = 0;
  for (const ir::Value &value : region.values) {
    if (const auto name = nameOf(region, value, form, leaf)) {
      names.push_back(*name);
      continue;
    }
    const auto arg = [&](int k) {
      return value.args[k] < 0 ? std::string() : names[value.args[k]];
    };
    const std::string type(typeName(value.type, form));
    const std::string text =
        fmt::format(fmt::runtime(cppForm(value.op, form)), arg(0), arg(1), arg(2),
                    value.op == ir::Op::Component ? std::string(1, "xyz"[value.component]) : type);
    if (text.empty())
      refuse(value, form);
    names.push_back(fmt::format("v{}", ++next));
    body.statements += fmt::format("{}const {} {} = {};\n", indent, type, names.back(), text);
  }
  for (const ir::Output &output : region.outputs)
    body.outputs.push_back(names[output.value]);
  return body;
}

std::vector<std::string> columnNames(const ir::Kernel &kernel) {
  std::vector<std::string> names;
  for (const ir::Field &field : kernel.fields) {
    if (field.axis >= 0)
      continue;
    if (field.type != ir::Type::Vec3) {
      names.push_back(field.name);
      continue;
    }
    for (const char axis : {'x', 'y', 'z'})
      names.push_back(fmt::format("{}.{}", field.name, axis));
  }
  return names;
}

int columnIndex(const ir::Kernel &kernel, const ir::Value &field) {
  const std::string name =
      field.component < 0 ? field.name : fmt::format("{}.{}", field.name, "xyz"[field.component]);
  return indexOf(columnNames(kernel), name, field.loc);
}

int paramIndex(const ir::Kernel &kernel, const ir::Value &param) {
  return indexOf(ir::slots(kernel), param.name, param.loc);
}

std::string inComment(std::string text) {
  std::replace_if(text.begin(), text.end(), [](unsigned char c) { return c < ' '; }, ' ');
  std::ranges::replace(text, '\\', '/'); // at the end it would join the next line to this
  for (std::size_t at = 0; (at = text.find("*/", at)) != std::string::npos;)
    text.insert(at + 1, " ");
  return text;
}

std::string cppKernel(const ir::Kernel &kernel) {
  std::string text = "#include <facet/dsl.h>\nusing namespace facet;\n\n";
  std::string record = "Triangle";
  std::string members;
  std::set<std::string> complex;
  for (const ir::Field &field : kernel.fields)
    if (field.axis >= 0)
      members += axisMember(field, complex);
    else if (!kernel.triangle || !builtIn.contains(field.name))
      members +=
          fmt::format("  {} {};\n", field.type == ir::Type::Vec3 ? "vec3" : "real", field.name);
  if (!kernel.triangle || !members.empty()) {
    record = kernel.name + "_record";
    text += fmt::format("struct {}{} {{\n{}}};\n\n", record, kernel.triangle ? " : Triangle" : "",
                        members);
  }
  std::string sum = "cplx"; // a kernel of real terms reads its real part
  if (ir::componentsOf(kernel.term).size() > 1) {
    sum = kernel.name + "_sum";
    text += numbersStruct(kernel.term, sum);
  }
  const std::string f = kernel.name + "_outputs";
  if (!ir::componentsOf(kernel.finish).front().name.empty())
    text += numbersStruct(kernel.finish, f);
  if (!kernel.doc.empty())
    text += fmt::format("/// {}\n", inComment(kernel.doc));
  text += fmt::format("struct FACET_KERNEL {} {{\n  using Grid = {}<{}, {}, {}>;\n", kernel.name,
                      kernel.grid == ir::GridKind::Product ? "product" : "points",
                      axisType(kernel.axes[0]), axisType(kernel.axes[1]), axisType(kernel.axes[2]));
  if (!kernel.params.empty()) {
    text += "  struct Params {\n";
    for (const ir::Param &param : kernel.params)
      text += fmt::format("    {} {};\n", ir::spelling(param), param.name);
    text += "  };\n";
  }
  const std::string of = fmt::format("const {} &t", record);
  text += function(kernel, kernel.term, "term", "Grid::q q, " + of, sum);
  text += function(kernel, kernel.finish, "finish", fmt::format("Grid::q q, {} sum", sum), f);
  if (!kernel.origin.empty())
    text += function(kernel, kernel.origin, "origin", of, f);
  return text + "};\n";
}

} // namespace facet::lower
