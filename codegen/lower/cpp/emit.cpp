// emit.cpp - IR values as C++ statements, by the table of operations.
#include "emit.h"
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <fmt/format.h>

namespace facet::lower {
namespace {

std::string_view typeName(ir::Type type, CppForm form) {
  if (type == ir::Type::Bool)
    return "bool";
  if (form == CppForm::Double)
    return "double";
  switch (type) {
  case ir::Type::Cplx:
    return "cplx";
  case ir::Type::Vec3:
    return "vec3";
  case ir::Type::CVec3:
    return "cvec3";
  default:
    return "real";
  }
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
         op == ir::Op::Sum || op == ir::Op::Total;
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
)";
}

CppBody cppBody(const ir::Region &region, CppForm form, std::string_view indent,
                const std::function<std::string(const ir::Value &)> &leaf) {
  CppBody body;
  std::vector<std::string> names;
  names.reserve(region.values.size());
  int next = 0;
  for (const ir::Value &value : region.values) {
    if (value.op == ir::Op::Number) {
      names.push_back(cppNumber(value.number));
      continue;
    }
    if (value.op == ir::Op::Unit && form == CppForm::Language) {
      names.emplace_back("i");
      continue;
    }
    if (isNamedLeaf(value.op)) {
      // A vector is not one double; its components are named one by one.
      const bool vector = value.type == ir::Type::Vec3 || value.type == ir::Type::CVec3;
      names.push_back(vector && form == CppForm::Double ? std::string() : leaf(value));
      continue;
    }
    const auto arg = [&](int k) {
      return value.args[k] < 0 ? std::string() : names[value.args[k]];
    };
    std::string text;
    if (value.op == ir::Op::Component) {
      ir::Value part = region.values[value.args[0]];
      part.component = value.component;
      if (form == CppForm::Double && isNamedLeaf(part.op)) {
        names.push_back(leaf(part)); // one column
        continue;
      }
    }
    const std::string own = value.op == ir::Op::Component ? std::string(1, "xyz"[value.component])
                                                          : std::string(typeName(value.type, form));
    text = fmt::format(fmt::runtime(cppForm(value.op, form)), arg(0), arg(1), arg(2), own);
    if (text.empty())
      refuse(value, form);
    names.push_back(fmt::format("v{}", ++next));
    body.statements += fmt::format("{}const {} {} = {};\n", indent, typeName(value.type, form),
                                   names.back(), text);
  }
  for (const ir::Output &output : region.outputs)
    body.outputs.push_back(names[output.value]);
  return body;
}

std::vector<std::string> columnNames(const ir::Kernel &kernel) {
  std::vector<std::string> names;
  for (const ir::Field &field : kernel.fields) {
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

std::string oneLine(std::string text) {
  std::replace_if(text.begin(), text.end(), [](unsigned char c) { return c < ' '; }, ' ');
  return text;
}

} // namespace facet::lower
