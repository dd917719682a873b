// printer.cpp - a kernel as text, in the one canonical form that the reader gives back unchanged.
#include "printer.h"
#include "roles/roles.h"
#include <charconv>
#include <fmt/format.h>

namespace facet::ir {

namespace {

/// The shortest decimal that reads back as the same double.
std::string numberText(double number) {
  std::array<char, 40> buffer{};
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), number).ptr;
  return {buffer.data(), end};
}

std::string_view partText(Part part) {
  return part == Part::Whole ? "" : part == Part::Re ? ".re" : ".im";
}

std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '\n')
      out += "\\n";
    else if (c == '"' || c == '\\')
      (out += '\\') += c;
    else
      out += c;
  }
  return out + '"';
}

void printRegion(std::string &out, std::string_view header, const Region &region, bool typed) {
  if (region.values.empty() && region.outputs.empty())
    return;
  out += fmt::format("  {} {{\n", header);
  const auto name = names(region);
  for (std::size_t k = 0; k < region.values.size(); ++k) {
    const Value &value = region.values[k];
    if (!isLeaf(value.op))
      out += fmt::format("    {} = {} : {} {}\n", name[k], expressionText(value, name),
                         spelling(value.type), spelling(value.domain));
  }
  std::string yields;
  for (const Output &output : region.outputs) {
    const bool known =
        output.value >= 0 && static_cast<std::size_t>(output.value) < region.values.size();
    const auto at = static_cast<std::size_t>(output.value);
    yields += yields.empty() ? "yield " : ", ";
    if (!output.name.empty())
      yields += output.name + " = ";
    yields += known ? name[at] : "?";
    if (typed && known)
      yields += fmt::format(" : {}", spelling(region.values[at].type));
  }
  if (!yields.empty())
    out += fmt::format("    {}\n", yields);
  out += "  }\n";
}

/// A column's type, or what it is when the particle is posed.
std::string columnText(const Field &field) {
  if (field.power != 0)
    return fmt::format("scaled = {}", field.power);
  const std::string_view role = spelling(field.role);
  return std::string(role.empty() ? spelling(field.type) : role);
}

} // namespace

std::string leafText(const Value &value) {
  switch (value.op) {
  case Op::Number:
    return numberText(value.number);
  case Op::Unit:
    return "i";
  case Op::Field:
    return "t." + value.name;
  case Op::Packed:
    return "r." + value.name;
  case Op::Param:
    return "p." + value.name;
  case Op::Axis:
    return value.component < 0
               ? fmt::format("q{}", partText(value.part))
               : fmt::format("q.{}{}", "xyz"[value.component], partText(value.part));
  case Op::Sum:
    return value.component < 0 ? fmt::format("sum{}", partText(value.part))
                               : fmt::format("sum{}{}", value.component, partText(value.part));
  case Op::Total:
    return fmt::format("total{}{}", value.component, partText(value.part));
  default:
    return std::string{info(value.op).spelling};
  }
}

std::vector<std::string> names(const Region &region) {
  std::vector<std::string> out;
  out.reserve(region.values.size());
  int next = 0;
  for (const Value &value : region.values)
    out.push_back(isLeaf(value.op) ? leafText(value) : fmt::format("%{}", ++next));
  return out;
}

std::string expressionText(const Value &value, const std::vector<std::string> &names) {
  std::string out{info(value.op).spelling};
  if (value.op == Op::Component && value.component >= 0 && value.component < 3)
    (out += '.') += "xyz"[value.component];
  for (int k = 0; k < info(value.op).arity; ++k) {
    const auto at = static_cast<std::size_t>(value.args[k]);
    out += k ? ", " : " ";
    out += at < names.size() ? names[at] : "?";
  }
  return out;
}

std::string print(const Kernel &kernel) {
  std::string out = fmt::format("kernel @{} {{\n", kernel.name);
  if (!kernel.doc.empty())
    out += fmt::format("  doc {}\n", quoted(kernel.doc));
  std::string fields;
  for (const Field &field : kernel.fields)
    fields += fmt::format("{}{}: {}", fields.empty() ? " " : ", ", field.name, columnText(field));
  out += fmt::format("  {} {{{} }}\n", kernel.triangle ? "triangle" : "record", fields);
  std::string axes;
  for (std::size_t k = 0; k < 3; ++k) {
    axes += fmt::format("{}{}: {}", k ? ", " : "", "xyz"[k], spelling(kernel.axes[k].type));
    if (kernel.axes[k].fixed)
      axes += fmt::format(" = {}", kernel.axes[k].fixed);
  }
  out += fmt::format("  grid {} {{ {} }}\n",
                     kernel.grid == GridKind::Product ? "product" : "points", axes);
  std::string params;
  for (const Param &param : kernel.params) {
    params += (params.empty() ? "" : ", ") + param.name;
    if (param.type != Type::Real)
      params += fmt::format(": {}", spelling(param.type));
    for (std::size_t k = 0; k < param.value.size(); ++k)
      params += (k ? " " : " = ") + numberText(param.value[k]);
  }
  if (!params.empty())
    out += fmt::format("  params {{ {} }}\n", params);
  printRegion(out, "pack t", kernel.pack, true);
  printRegion(out, "sum t", kernel.term, false);
  printRegion(out, "waves t", kernel.waves, false);
  printRegion(out, "totals t", kernel.totals, false);
  printRegion(out, "finish", kernel.finish, false);
  printRegion(out, "origin t", kernel.origin, false);
  return out + "}\n";
}

} // namespace facet::ir
