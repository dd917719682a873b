// printer.cpp - a kernel as text, in the one canonical form that the reader gives back unchanged.
#include "roles.h"
#include <algorithm>
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

/// ".x", ".y" or ".z" of what has a component, else "".
std::string_view componentText(const Value &value) {
  static constexpr std::string_view texts[] = {".x", ".y", ".z"};
  return value.component >= 0 && value.component < 3 ? texts[value.component] : "";
}

std::string inQuotes(std::string_view text) {
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

/// A region of the kernel; with its values' places if wanted.
std::string text(const Kernel &kernel, const Region &region, std::string_view called, bool places) {
  if (region.values.empty() && region.outputs.empty())
    return {};
  const bool finish = &region == &kernel.finish || &region == &kernel.scalars,
             term = &region == &kernel.term;
  std::string out = fmt::format("  {}{} {{\n", called, finish ? "" : " t"), yields;
  const auto name = names(region);
  for (std::size_t k = 0; k < region.values.size(); ++k)
    if (const Value &value = region.values[k]; !isLeaf(value.op)) {
      const auto place = term ? spelling(placeOf(value.domain)) : finish ? "finish" : "record";
      out += fmt::format("    {} = {} : {} {}{}{}\n", name[k], expressionText(value, name),
                         spelling(value.type), spelling(value.domain), places ? " ; " : "",
                         places ? place : "");
    }
  for (const Output &output : region.outputs) {
    const bool known = output.value >= 0 && output.value < std::ssize(region.values);
    yields += yields.empty() ? "yield " : ", ";
    if (!output.name.empty())
      yields += output.name + " = ";
    yields += known ? name[output.value] : "?";
    if (known && &region == &kernel.pack)
      yields += fmt::format(" : {}", spelling(region[output.value].type));
  }
  if (!yields.empty())
    out += fmt::format("    {}\n", yields);
  return out + "  }\n";
}

/// A column's type, its axis, or what it is when the particle is posed.
std::string columnText(const Field &field) {
  if (field.axis >= 0)
    return fmt::format("per {}", "xyzq"[field.axis]);
  if (field.power != 0)
    return fmt::format("scaled = {}", field.power);
  const std::string_view role = spelling(field.role);
  return std::string(role.empty() ? spelling(field.type) : role);
}

} // namespace

std::string quoted(std::string_view text, Loc loc, std::string_view indent) {
  for (int k = 1; k < loc.line; ++k) {
    const auto end = text.find('\n');
    if (end == std::string_view::npos)
      return {};
    text.remove_prefix(end + 1);
  }
  if (loc.line == 0)
    return {};
  const std::string_view line = text.substr(0, text.find('\n'));
  std::string gap(std::max(loc.column - 1, 0), ' ');
  for (std::size_t k = 0; k < std::min(gap.size(), line.size()); ++k)
    gap[k] = line[k] == '\t' ? '\t' : ' ';
  return fmt::format("{0}{1}\n{0}{2}^", indent, line, gap);
}

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
    return fmt::format("q{}{}", componentText(value), partText(value.part));
  case Op::Sum:
  case Op::Total:
  case Op::Rest:
    return fmt::format("{}{}{}", info(value.op).spelling,
                       value.component < 0 ? "" : std::to_string(value.component),
                       partText(value.part));
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
  if (value.op == Op::Component)
    out += componentText(value);
  for (const Id &id : value.operands()) {
    out += &id == value.args.data() ? " " : ", ";
    out += id >= 0 && id < std::ssize(names) ? names[id] : "?";
  }
  return out;
}

std::string hashOf(std::string_view bytes) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char c : bytes)
    hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return fmt::format("{:016x}", hash);
}

std::string print(const Kernel &kernel, bool places) {
  std::string out = fmt::format("kernel @{} {{\n", kernel.name);
  if (!kernel.doc.empty())
    out += fmt::format("  doc {}\n", inQuotes(kernel.doc));
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
      params += fmt::format(": {}", spelling(param));
    for (std::size_t k = 0; k < param.value.size(); ++k)
      params += (k ? " " : " = ") + numberText(param.value[k]);
  }
  if (!params.empty())
    out += fmt::format("  params {{ {} }}\n", params);
  const auto *called = regionNames;
  for (const Region *region : regionsOf(kernel))
    out += text(kernel, *region, *called++, places);
  return out + "}\n";
}

} // namespace facet::ir
