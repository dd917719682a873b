// text.cpp - the C++ text of a library: reference, origin, functions, descriptor.
#include "codegen/ir/roles.h"
#include "codegen/lower/cpp/emit.h"
#include "codegen/lower/library.h"
#include "parts.h"
#include <algorithm>
#include <filesystem>
#include <fmt/format.h>

namespace facet::lower {
namespace {

/// A C string literal, a line of the text a line.
std::string literal(std::string_view text) {
  std::string out = "\"";
  for (const char c : text)
    if (c == '\n')
      out += "\\n\"\n\"";
    else if (c == '"' || c == '\\')
      (out += '\\') += c;
    else if (static_cast<unsigned char>(c) < 0x20)
      out += fmt::format("\\{:03o}", static_cast<unsigned char>(c));
    else
      out += c;
  return out + "\"";
}

std::string head(const LibraryPlan &plan) {
  std::string text =
      fmt::format("// Kernel library {}, made by {}.\n//   {}\n", plan.request.kernel.name,
                  versions(plan), oneLine(plan.request.commandLine));
  for (const CompiledVariant &variant : plan.variants)
    text += fmt::format(
        "// {}, {} q, {} grid, {}: {} flops, {} instructions a term; {} flops a q\n",
        passes::spelling(variant.variant.algorithm), qName(variant.variant.complexQ),
        gridName(variant.variant.grid), passes::spelling(variant.variant.klass),
        variant.counts.inner.flops, variant.counts.inner.instructions, variant.counts.finish.flops);
  for (const CompiledVariant &variant : plan.transforms)
    text += fmt::format("// nufft, {} q: {} flops a q\n", qName(variant.variant.complexQ),
                        variant.counts.finish.flops);
  return text;
}

/// The kernel itself: the file it came from, or, for IR, the kernel printed back.
std::string source(const LibraryPlan &plan) {
  if (plan.request.source.ends_with(".fir"))
    return cppKernel(plan.request.kernel);
  return fmt::format(
      "#include {}\n",
      literal(std::filesystem::absolute(plan.request.source).lexically_normal().string()));
}

/// How records and parameters are read from columns of doubles (see <facet/reference.h>).
std::string loader(const ir::Kernel &kernel, const std::string &type) {
  std::string text =
      fmt::format("struct Columns {{\n  static void record(facet::record_of<::{}> &t, const "
                  "double *const *columns, long k) {{\n",
                  type);
  int c = 0;
  for (const ir::Field &field : kernel.fields)
    if (field.type == ir::Type::Vec3)
      for (const char axis : {'x', 'y', 'z'})
        text += fmt::format("    t.{}.{} = columns[{}][k];\n", field.name, axis, c++);
    else
      text += fmt::format("    t.{} = columns[{}][k];\n", field.name, c++);
  text += fmt::format(
      "  }}\n  static void params(facet::params_of<::{}> &p, const double *values) {{\n", type);
  int p = 0;
  for (const std::string &slot : ir::slots(kernel))
    text += fmt::format("    p.{} = values[{}];\n", slot, p++);
  return text + "  }\n};\n";
}

std::string orNull(const std::string &text) { return text.empty() ? "nullptr" : literal(text); }

/// What the kernel says of its parameters, and which of them the sums read.
std::string parameters(const ir::Kernel &kernel) {
  if (kernel.params.empty())
    return "static const facet_parameter *const parameters_ = nullptr;\n";
  std::string text, table = "static const facet_parameter parameters_[] = {\n";
  for (std::size_t k = 0; k < kernel.params.size(); ++k) {
    const ir::Param &param = kernel.params[k];
    if (!param.value.empty())
      text += fmt::format("static const double default_{}[] = {{{}}};\n", k,
                          fmt::join(param.value, ", "));
    table += fmt::format("  {{{}, {}, {}, {}, {}}},\n", literal(param.name),
                         param.type == ir::Type::Vec3 || param.type == ir::Type::CVec3 ? 3 : 1,
                         param.type == ir::Type::Cplx || param.type == ir::Type::CVec3 ? 1 : 0,
                         ir::reads(kernel.term, param) ? 1 : 0,
                         param.value.empty() ? "nullptr" : fmt::format("default_{}", k));
  }
  return text + table + "};\n";
}

std::string strings(std::string_view name, const std::vector<std::string> &values) {
  if (values.empty())
    return fmt::format("static const char *const *const {} = nullptr;\n", name);
  std::string text = fmt::format("static const char *const {}[] = {{", name);
  for (const std::string &value : values)
    text += literal(value) + ", ";
  return text + "};\n";
}

/// What a pose does to each column, in the order of columnNames.
std::string roles(const ir::Kernel &kernel) {
  std::string text = "static const facet_role roles_[] = {";
  for (const ir::Field &field : kernel.fields) {
    const ir::Posed posed = ir::posed(kernel, field);
    for (int k = 0; k < (field.type == ir::Type::Vec3 ? 3 : 1); ++k)
      text += fmt::format("{{{}, {}, {}, {}}}, ", posed.turns ? 1 : 0, posed.moves ? 1 : 0,
                          posed.known ? 1 : 0, posed.power);
  }
  return text + "{0, 0, 1, 0}};\n"; // one more: never empty
}

} // namespace

std::string libraryText(const LibraryPlan &plan, bool shared) {
  const ir::Kernel &kernel = plan.request.kernel;
  const std::string &type = plan.request.type.empty() ? kernel.name : plan.request.type;
  std::string text = head(plan) + source(plan);
  text += "#include <facet/abi.h>\n#include <facet/reference.h>\n#include <facet/steady_stack.h>\n";
  if (!devicesOf(plan).empty())
    // Halide's runtime of a device keeps memory of its own beyond a call: names apart.
    text += "#include <facet/device_call.h>\n#include <facet/tensor_call.h>\n"
            "#define FACET_TABLES_MALLOC facet_tables_malloc\n"
            "#define FACET_TABLES_FREE facet_tables_free\n";
  if (std::any_of(plan.variants.begin(), plan.variants.end(), [](const CompiledVariant &variant) {
        return variant.variant.algorithm == passes::Algorithm::Separable;
      }))
    text += "#include <facet/scratch.h>\n";
  text += "\nnamespace {\n";
  text += loader(kernel, type);
  text += cppPrelude();
  text += cppAdapterPrelude();

  text += cppTables(plan);

  const auto columns = columnNames(kernel);
  const auto isComplex = [&](int k) { return kernel.axes[k].type == ir::Type::Cplx ? 1 : 0; };
  text += strings("columns_", columns) + roles(kernel) + parameters(kernel);
  text += fmt::format("const char manifest_[] =\n{};\n", literal(libraryManifest(plan)));
  std::size_t variantCount = 0;
  for (const CompiledVariant &variant : plan.variants)
    variantCount += variant.targets.size();
  text += fmt::format(
      "const facet_kernel_description description = {{FACET_ABI_VERSION, "
      "sizeof(facet_kernel_description), {}, \"{}\", manifest_, {}, {}, {}, {{{}, {}, {}}}, {{{}, "
      "{}, "
      "{}}}, "
      "{}, columns_, roles_, {}, {}, parameters_, {}, variants, {}, transforms, {}, {}, "
      "facet::reference<::{}, Columns>, {}}};\n"
      "}} // namespace\n\n",
      literal(kernel.name), shapeOf(kernel), kernel.triangle ? 1 : 0, plan.translation,
      kernel.grid == ir::GridKind::Product ? "FACET_PRODUCT" : "FACET_POINTS", isComplex(0),
      isComplex(1), isComplex(2), kernel.axes[0].fixed, kernel.axes[1].fixed, kernel.axes[2].fixed,
      columns.size(), ir::slots(kernel).size(), kernel.params.size(), variantCount,
      plan.transforms.size(), orNull(plan.noSeparable), orNull(plan.noNufft), type,
      kernel.origin.empty() ? "nullptr" : fmt::format("facet::origin<::{}, Columns>", type));
  const auto exported = [&](const std::string &name) {
    return fmt::format("extern \"C\" __attribute__((visibility(\"default\"))) const "
                       "facet_kernel_description *{}(void) {{ return &description; }}\n",
                       name);
  };
  text += exported("facet_kernel_" + kernel.name);
  return shared ? text + exported("facet_kernel") : text;
}

} // namespace facet::lower
