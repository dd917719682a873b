// kernel.cpp - a kernel before any pass as a kernel file: what gives .fir input its reference.
#include "emit.h"
#include <algorithm>
#include <fmt/format.h>
#include <set>

namespace facet::lower {
namespace {

const std::set<std::string, std::less<>> builtIn = {
#define FACET_TRIANGLE(name, is_vector, power, moves, doc) #name,
#include "dsl/facet/triangle.def"
};

std::string axisType(const ir::AxisType &axis) {
  const std::string_view type = axis.type == ir::Type::Cplx ? "cplx" : "real";
  return axis.fixed > 0 ? fmt::format("fixed<{}, {}>", axis.fixed, type) : std::string(type);
}

std::string leaf(const ir::Value &value) {
  std::string name;
  switch (value.op) {
  case ir::Op::Field:
    name = "t." + value.name;
    break;
  case ir::Op::Param:
    name = "p." + value.name;
    break;
  case ir::Op::Axis:
    name = value.component < 0 ? "q" : fmt::format("q.{}", "xyz"[value.component]);
    break;
  case ir::Op::Sum: // always complex in the text; a kernel of real terms reads its real part
    name = value.part == ir::Part::Whole && value.type != ir::Type::Cplx ? "re(sum)" : "sum";
    break;
  default:
    throw ir::Error{"packed columns are made by passes; give the kernel as it was before them",
                    value.loc};
  }
  if (value.op == ir::Op::Field && value.component >= 0)
    name += fmt::format(".{}", "xyz"[value.component]);
  if (value.part == ir::Part::Whole)
    return name;
  return fmt::format("{}({})", value.part == ir::Part::Re ? "re" : "im", name);
}

bool usesParams(const ir::Region &region) {
  return std::any_of(region.values.begin(), region.values.end(),
                     [](const ir::Value &value) { return value.op == ir::Op::Param; });
}

std::string function(const ir::Region &region, std::string_view name, std::string_view arguments) {
  const CppBody body = cppBody(region, CppForm::Language, "    ", leaf);
  const bool split = region.outputs.size() == 2;
  const ir::Type type = region.values[region.outputs[0].value].type;
  const bool cplx = split || type == ir::Type::Cplx;
  const std::string value =
      split ? fmt::format("{} + i * {}", body.outputs[0], body.outputs[1]) : body.outputs[0];
  return fmt::format("  static {} {}({}{}) {{\n{}    return {};\n  }}\n", cplx ? "cplx" : "real",
                     name, arguments, usesParams(region) ? ", Params p" : "", body.statements,
                     value);
}

} // namespace

std::string cppKernel(const ir::Kernel &kernel) {
  std::string text = "#include <facet/dsl.h>\nusing namespace facet;\n\n";
  std::string record = "Triangle";
  std::string members;
  for (const ir::Field &field : kernel.fields)
    if (!kernel.triangle || !builtIn.contains(field.name))
      members +=
          fmt::format("  {} {};\n", field.type == ir::Type::Vec3 ? "vec3" : "real", field.name);
  if (!kernel.triangle || !members.empty()) {
    record = kernel.name + "_record";
    text += fmt::format("struct {}{} {{\n{}}};\n\n", record, kernel.triangle ? " : Triangle" : "",
                        members);
  }
  if (!kernel.doc.empty())
    text += fmt::format("/// {}\n", oneLine(kernel.doc));
  text += fmt::format("struct FACET_KERNEL {} {{\n  using Grid = {}<{}, {}, {}>;\n", kernel.name,
                      kernel.grid == ir::GridKind::Product ? "product" : "points",
                      axisType(kernel.axes[0]), axisType(kernel.axes[1]), axisType(kernel.axes[2]));
  if (!kernel.params.empty()) {
    text += "  struct Params {\n";
    for (const ir::Param &param : kernel.params)
      text += fmt::format("    {} {};\n", ir::spelling(param.type), param.name);
    text += "  };\n";
  }
  text += function(kernel.term, "term", fmt::format("Grid::q q, const {} &t", record));
  text += function(kernel.finish, "finish", "Grid::q q, cplx sum");
  if (!kernel.origin.empty())
    text += function(kernel.origin, "origin", fmt::format("const {} &t", record));
  return text + "};\n";
}

} // namespace facet::lower
