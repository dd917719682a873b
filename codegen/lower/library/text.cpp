// text.cpp - the C++ text of a library: reference, origin, pack, finish, adapters, descriptor.
#include "codegen/lower/library.h"
#include "cpp_emit.h"
#include "parts.h"
#include <filesystem>
#include <fmt/format.h>
#include <functional>
#include <map>

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
                  versions(plan), plan.request.commandLine);
  for (const CompiledVariant &variant : plan.variants)
    text += fmt::format("// {} q, {} grid, {}: {} flops, {} instructions a term; {} flops a q\n",
                        qName(variant.variant.complexQ), gridName(variant.variant.grid),
                        passes::spelling(variant.variant.klass), variant.counts.innerFlops,
                        variant.counts.innerOps, variant.counts.finishFlops);
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
  for (std::size_t k = 0; k < kernel.params.size(); ++k)
    text += fmt::format("    p.{} = values[{}];\n", kernel.params[k], k);
  return text + "  }\n};\n";
}

std::string_view className(passes::Class klass) {
  return klass == passes::Class::F32          ? "FACET_F32"
         : klass == passes::Class::F32Careful ? "FACET_F32_CAREFUL"
                                              : "FACET_F64";
}

std::string strings(std::string_view name, const std::vector<std::string> &values) {
  if (values.empty())
    return fmt::format("static const char *const *const {} = nullptr;\n", name);
  std::string text = fmt::format("static const char *const {}[] = {{", name);
  for (const std::string &value : values)
    text += literal(value) + ", ";
  return text + "};\n";
}

} // namespace

std::string libraryText(const LibraryPlan &plan, bool shared) {
  const ir::Kernel &kernel = plan.request.kernel;
  const std::string &type = plan.request.type.empty() ? kernel.name : plan.request.type;
  std::string text = head(plan) + source(plan);
  text += "#include <facet/abi.h>\n#include <facet/reference.h>\n\nnamespace {\n";
  text += loader(kernel, type);
  text += cppPrelude();
  text += cppAdapterPrelude();

  // Pack serves every target and often both grid kinds, finish every class: each text once.
  std::string rows;
  std::map<std::string, std::string> named; // text under a common name, and the name it was given
  const auto once = [&](const std::string &name,
                        const std::function<std::string(std::string)> &make) {
    const auto [found, fresh] = named.try_emplace(make("function"), name);
    if (fresh)
      (text += "\n") += make(name);
    return found->second;
  };
  for (const CompiledVariant &variant : plan.variants) {
    const std::string name = variantName(plan, variant);
    const bool narrowIsFloat = variant.variant.klass != passes::Class::F64;
    const std::string pack = once("pack_" + name, [&](const std::string &as) {
      return cppPack(variant.kernel, as, narrowIsFloat);
    });
    const std::string finish = once(
        "finish_" + name, [&](const std::string &as) { return cppFinish(variant.kernel, as); });
    const auto [narrow, wide] = packedFields(variant.kernel);
    for (const std::string &target : plan.request.targets) {
      const SumKernel sum = sumKernel(plan, variant, target);
      const auto padding = pad(sum);
      text += cppAdapter(variant, sum.symbol, sum.knobs.blockT);
      rows += fmt::format("  {{\"{}\", {}, {}, {}, FACET_DIRECT, 0, {}, {}, 0, {}, {{{}, {}, {}}}, "
                          "{}, {}, call_{}, {}, "
                          "nullptr}},\n",
                          target, className(variant.variant.klass),
                          variant.variant.grid == ir::GridKind::Product ? "FACET_PRODUCT"
                                                                        : "FACET_POINTS",
                          variant.variant.complexQ ? "FACET_COMPLEX_Q" : "FACET_REAL_Q", narrow,
                          wide, sum.knobs.blockT, padding[0], padding[1], padding[2],
                          cppNumber(errorBound(variant.variant)), pack, sum.symbol, finish);
    }
  }

  const auto columns = columnNames(kernel);
  const auto isComplex = [&](int k) { return kernel.axes[k].type == ir::Type::Cplx ? 1 : 0; };
  text += fmt::format("\nconst facet_variant variants[] = {{\n{}}};\n{}{}", rows,
                      strings("columns_", columns), strings("params_", kernel.params));
  text += fmt::format("const char manifest_[] =\n{};\n", literal(libraryManifest(plan)));
  text += fmt::format(
      "const facet_kernel_description description = {{FACET_ABI_VERSION, "
      "sizeof(facet_kernel_description), {}, manifest_, {}, {}, {}, {{{}, {}, {}}}, {{{}, {}, "
      "{}}}, "
      "{}, columns_, {}, params_, {}, variants, 0, nullptr, nullptr, nullptr, "
      "facet::reference<::{}, Columns>, {}}};\n"
      "}} // namespace\n\n",
      literal(kernel.name), kernel.triangle ? 1 : 0, plan.translation,
      kernel.grid == ir::GridKind::Product ? "FACET_PRODUCT" : "FACET_POINTS", isComplex(0),
      isComplex(1), isComplex(2), kernel.axes[0].fixed, kernel.axes[1].fixed, kernel.axes[2].fixed,
      columns.size(), kernel.params.size(), plan.variants.size() * plan.request.targets.size(),
      type, kernel.origin.empty() ? "nullptr" : fmt::format("facet::origin<::{}, Columns>", type));
  const auto exported = [&](const std::string &name) {
    return fmt::format("extern \"C\" __attribute__((visibility(\"default\"))) const "
                       "facet_kernel_description *{}(void) {{ return &description; }}\n",
                       name);
  };
  text += exported("facet_kernel_" + kernel.name);
  return shared ? text + exported("facet_kernel") : text;
}

} // namespace facet::lower
