// text.cpp - the C++ text of a library: reference, origin, the functions of variants and
// transforms, the tables that list them, descriptor.
#include "codegen/ir/roles.h"
#include "codegen/lower/cpp/emit.h"
#include "codegen/passes/forms.h"
#include "library.h"
#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <functional>
#include <map>

namespace facet::lower {

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

std::string includePath(const std::string &source) {
  std::string out;
  for (const char c : std::filesystem::absolute(source).lexically_normal().string())
    if (static_cast<unsigned char>(c) < 0x20 || c == '"' || c == '\\' || c == '%')
      out += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    else
      out += c;
  return out;
}

namespace {

/// {a, b, c}: what a struct or an array of the ABI is initialised with.
template <class... T> std::string braces(const T &...members);
template <class T> std::string member(const T &value) { return fmt::format("{}", value); }
template <class T> std::string member(const std::array<T, 3> &values) {
  return braces(values[0], values[1], values[2]);
}
template <class... T> std::string braces(const T &...members) {
  std::string list;
  ((list += (list.empty() ? "{" : ", ") + member(members)), ...);
  return list + "}";
}

std::string head(const LibraryPlan &plan) {
  std::string text =
      fmt::format("// Kernel library {}, made by {}.\n//   {}\n", plan.request.kernel.name,
                  versions(plan), inComment(plan.request.commandLine));
  std::string last; // the same for several targets
  for (const PlannedSum &sum : plan.variants) {
    const passes::Counts counts = passes::count(sum.kernel);
    std::string line =
        fmt::format("// {}, {} q, {} grid, {}: {} flops, {} instructions a term; {} flops a q\n",
                    passes::spelling(sum.variant.algorithm), qName(sum.variant.complexQ),
                    gridName(sum.variant.grid), passes::spelling(sum.variant.klass),
                    counts.inner.flops, counts.inner.instructions, counts.finish.flops);
    if (line != last)
      text += line;
    last = std::move(line);
  }
  for (const SumKernel &sum : plan.transforms)
    text += fmt::format("// nufft, {} q: {} flops a q\n", qName(sum.variant.complexQ),
                        passes::count(sum.kernel).finish.flops);
  return text;
}

/// The kernel itself: the file it came from, or, for IR, the kernel printed back.
std::string source(const LibraryPlan &plan) {
  if (ir::pointField(plan.request.kernel) != nullptr)
    return "#include <facet/dsl.h>\n"; // no kernel file says what such a kernel does
  if (plan.request.printed)
    return cppKernel(plan.request.kernel);
  return fmt::format("#include \"{}\"\n", includePath(plan.request.source));
}

/// How records and parameters are read from columns of doubles (see <facet/reference.h>).
std::string loader(const ir::Kernel &kernel, const std::string &type) {
  if (ir::pointField(kernel) != nullptr)
    return "";
  std::string text =
      fmt::format("struct Columns {{\n  static void record(facet::record_of<::{}> &t, const "
                  "double *const *columns, long k) {{\n",
                  type);
  int c = 0;
  for (const ir::Field &field : kernel.fields)
    if (field.axis >= 0)
      continue;
    else if (field.type == ir::Type::Vec3)
      for (const char axis : {'x', 'y', 'z'})
        text += fmt::format("    t.{}.{} = columns[{}][k];\n", field.name, axis, c++);
    else
      text += fmt::format("    t.{} = columns[{}][k];\n", field.name, c++);
  for (const ir::Field &field : axisFields(kernel))
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
    table += "  " +
             braces(literal(param.name),
                    param.matrix               ? 9
                    : ir::isVector(param.type) ? 3
                                               : 1,
                    ir::isComplex(param.type) ? 1 : 0, ir::reads(kernel.term, param) ? 1 : 0,
                    param.value.empty() ? "nullptr" : fmt::format("default_{}", k)) +
             ",\n";
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
    if (field.axis >= 0)
      continue;
    const ir::PoseRole posed = ir::posed(kernel, field);
    for (int k = 0; k < (field.type == ir::Type::Vec3 ? 3 : 1); ++k)
      text +=
          braces(posed.turns ? 1 : 0, posed.moves ? 1 : 0, posed.known ? 1 : 0, posed.power) + ", ";
  }
  return text + "{0, 0, 1, 0}};\n"; // one more: never empty
}

/// The columns with an axis.
std::string axisColumns(const std::vector<ir::Field> &fields) {
  if (fields.empty())
    return "static const facet_axis_column *const axis_columns_ = nullptr;\n";
  std::string text = "static const facet_axis_column axis_columns_[] = {";
  for (const ir::Field &field : fields)
    text += braces(literal(field.name), field.axis) + ", ";
  return text + "};\n";
}

/// What finish gives.
std::string outputs(const ir::Kernel &kernel) {
  std::string text = "static const facet_output outputs_[] = {";
  for (const auto &[name, isComplex] : ir::outputsOf(kernel))
    text += braces(literal(name), isComplex ? 1 : 0) + ", ";
  return text + "};\n";
}

std::string gridKind(ir::GridKind grid) {
  return grid == ir::GridKind::Product ? "FACET_PRODUCT" : "FACET_POINTS";
}
std::string qKind(const passes::Variant &variant) {
  return variant.complexQ ? "FACET_COMPLEX_Q" : "FACET_REAL_Q";
}

/// Text in which each function stands once: pack serves every target and often both grid kinds,
/// finish every class, totals every algorithm.
class Functions {
public:
  std::string text;

  /// The name of the function that `make` writes of a kernel: `name`, or that of an equal one.
  std::string once(const std::string &name, const ir::Kernel &kernel,
                   std::string (*make)(const ir::Kernel &, const std::string &)) {
    return once(name, [&](const std::string &as) { return make(kernel, as); });
  }
  /// The same of what else is written.
  std::string once(const std::string &name, const std::function<std::string(std::string)> &make) {
    const auto [found, fresh] = named.try_emplace(make("function"), name);
    if (fresh)
      (text += "\n") += make(name);
    return found->second;
  }
  /// The same for facet_totals_fn; "nullptr" if the kernel has none.
  std::string totals(const std::string &name, const ir::Kernel &kernel) {
    return kernel.totals.empty() ? "nullptr" : once("totals_" + name, kernel, cppTotals);
  }

private:
  std::map<std::string, std::string> named; // text under a common name, and the name it was given
};

/// Records a call of a device should take: enough for the copy to be small beside the sum.
constexpr int deviceRecords = 1 << 20;

/// facet_variant.components_fn: finish of the kernel whose F are the sums of its components;
/// "nullptr" of a variant that no transforms leave records to.
std::string componentsOf(const PlannedSum &sum, const LibraryPlan &plan, Functions &functions) {
  const passes::Variant &v = sum.variant;
  if (v.algorithm != passes::Algorithm::Direct || v.klass != passes::Class::F64 ||
      isDevice(targetOf(sum.target)) ||
      std::ranges::none_of(plan.transforms, [&](const SumKernel &transforms) {
        return !transforms.kernel.mixed.empty();
      }))
    return "nullptr";
  const ir::Kernel kernel = passes::run(passes::ofComponents(plan.request.kernel), v);
  ir::Kernel same = sum.kernel;
  same.finish = kernel.finish;
  same.origin = kernel.origin;
  if (ir::print(same) != ir::print(kernel))
    throw ir::Error{fmt::format("kernel '{}' has another sum if its components are asked for",
                                plan.request.kernel.name)};
  return functions.once("components_" + variantName(sum), kernel, cppFinish);
}

/// The row of facet_variant of a sum.
std::string row(const PlannedSum &sum, const LibraryPlan &plan, Functions &functions) {
  static constexpr const char *classes[] = {"FACET_F32", "FACET_F32_CAREFUL", "FACET_F64"};
  const std::string name = variantName(sum);
  const passes::Variant &v = sum.variant;
  const bool separable = v.algorithm == passes::Algorithm::Separable;
  const std::string pack = functions.once("pack_" + name, [&](const std::string &as) {
    return cppPack(sum.kernel, as, v.klass != passes::Class::F64);
  });
  const std::string finish = functions.once("finish_" + name, sum.kernel, cppFinish);
  const std::string totals = functions.totals(name, sum.kernel);
  const std::string components = componentsOf(sum, plan, functions);
  const bool device = isDevice(targetOf(sum.target));
  const std::string parts = functions.once("parts_" + name, [&](const std::string &as) {
    std::vector<int> counts;
    for (const ir::Component &component : ir::componentsOf(sum.kernel.term))
      counts.push_back(component.im < 0 ? 1 : 2);
    return fmt::format("const int32_t {}[] = {{{}}};\n", as, fmt::join(counts, ", "));
  });
  functions.text += device ? cppDeviceAdapter(sum) : cppAdapter(sum);
  return "  " +
         braces(literal(sum.target), classes[static_cast<std::size_t>(v.klass)], gridKind(v.grid),
                qKind(v), separable ? "FACET_SEPARABLE" : "FACET_DIRECT", v.nodes ? 1 : 0,
                packedColumns(sum.kernel, false).size(), packedColumns(sum.kernel, true).size(),
                ir::totalsOf(sum.kernel), device ? deviceRecords : sum.knobs.blockT, pad(sum),
                cppNumber(errorBound(sum)), pack, "call_" + sum.symbol, finish, totals, tileOf(sum),
                literal(schedules::print(sum.knobs, separable, device)), interfaceOf(sum.target),
                ir::componentsOf(sum.kernel.term).size(), parts, components) +
         ",\n";
}

/// What is known of the scalars of q of transforms: names, waves that read them, with functions.
std::string scalarTables(const SumKernel &sum, const std::vector<std::string> &called,
                         const std::string &name, Functions &functions) {
  const std::vector<ir::Wave> waves = ir::wavesOf(sum.kernel);
  std::vector<int> ofWave;
  std::vector<std::string> refill;
  for (std::size_t w = 0; w < waves.size(); ++w) {
    ofWave.push_back(waves[w].scalars);
    const auto strengths = [&](const std::string &as) { return cppWaves(sum.kernel, as, w); };
    refill.push_back(waves[w].scalars == 0
                         ? "nullptr"
                         : functions.once(fmt::format("refill_{}_{}", name, w), strengths));
  }
  return fmt::format("const int32_t scalars_of_{0}[] = {{{1}}};\nconst facet_waves_fn refill_{0}[] "
                     "= {{{2}}};\n",
                     name, fmt::join(ofWave, ", "), fmt::join(refill, ", ")) +
         strings("scalar_names_" + name, called);
}

/// The row of facet_transforms of one q kind.
std::string transformsRow(const SumKernel &sum, const ir::Kernel &source, Functions &functions) {
  const std::string name = fmt::format("{}_{}", sum.kernel.name, qName(sum.variant.complexQ));
  const std::vector<ir::Wave> waves = ir::wavesOf(sum.kernel);
  std::vector<std::size_t> of; // the wave of each transform
  for (std::size_t w = 0; w < waves.size(); ++w)
    of.insert(of.end(), waves[w].strengths.size(), w);
  std::vector<int> parts;
  for (const ir::Wave &wave : waves)
    for (const ir::Wave::Strength &b : wave.strengths)
      parts.push_back(b.realSum ? 1 : 2);
  const std::string fill = functions.once(
      "fill_" + name, [&](const std::string &as) { return cppWaves(sum.kernel, as); });
  const std::string combine = functions.once("combine_" + name, sum.kernel, cppCombine);
  const std::string totals = functions.totals("transforms_" + name, sum.kernel);
  functions.text += fmt::format(
      "\nconst int32_t wave_of_{0}[] = {{{1}}};\nconst int32_t parts_of_{0}[] = {{{2}}};\n", name,
      fmt::join(of, ", "), fmt::join(parts, ", "));
  const std::vector<std::string> called = passes::scalarNames(sum.kernel, source);
  std::string scalars = "nullptr", mixed = "nullptr";
  if (!sum.kernel.mixed.empty())
    mixed = functions.once("mixed_" + name, sum.kernel, cppMixed);
  if (!called.empty()) {
    functions.text += scalarTables(sum, called, name, functions);
    scalars = functions.once("scalars_" + name, sum.kernel, cppScalars);
  }
  return "  " +
         braces(qKind(sum.variant), sum.variant.nodes ? 1 : 0, waves.size(), of.size(),
                "wave_of_" + name, "parts_of_" + name, ir::totalsOf(sum.kernel), fill, totals,
                combine, called.size(), called.empty() ? "nullptr" : "scalars_of_" + name,
                called.empty() ? "nullptr" : "scalar_names_" + name, scalars,
                called.empty() ? "nullptr" : "refill_" + name, mixed,
                sum.kernel.mixed.empty() ? 0 : ir::componentsOf(source.term).size()) +
         ",\n";
}

/// The functions of all variants and transforms, each text once, and the tables `variants` and
/// `transforms` of the description.
std::string tables(const LibraryPlan &plan) {
  Functions functions;
  std::string variants, transforms;
  for (const PlannedSum &sum : plan.variants)
    variants += row(sum, plan, functions);
  for (const SumKernel &sum : plan.transforms)
    transforms += transformsRow(sum, plan.request.kernel, functions);
  functions.text += fmt::format("\nconst facet_variant variants[] = {{\n{}}};\n", variants);
  return functions.text +
         (transforms.empty()
              ? "const facet_transforms *const transforms = nullptr;\n"
              : fmt::format("const facet_transforms transforms[] = {{\n{}}};\n", transforms));
}

std::string description(const LibraryPlan &plan, const std::string &type) {
  const ir::Kernel &kernel = plan.request.kernel;
  const auto columns = columnNames(kernel);
  std::array<int, 3> isComplex{};
  std::array<std::int64_t, 3> fixed{};
  for (std::size_t k = 0; k < 3; ++k) {
    isComplex[k] = kernel.axes[k].type == ir::Type::Cplx;
    fixed[k] = kernel.axes[k].fixed;
  }
  const auto tables = axisFields(kernel);
  return strings("columns_", columns) + roles(kernel) + axisColumns(tables) + parameters(kernel) +
         outputs(kernel) +
         fmt::format("const char manifest_[] =\n{};\n", literal(libraryManifest(plan))) +
         fmt::format("const facet_kernel_description description = {};\n}} // namespace\n\n",
                     braces("FACET_ABI_VERSION", "sizeof(facet_kernel_description)",
                            literal(kernel.name), literal(shapeOf(kernel)), "manifest_",
                            kernel.triangle ? 1 : 0, translationOf(kernel), gridKind(kernel.grid),
                            isComplex, fixed, columns.size(), "columns_", "roles_", tables.size(),
                            "axis_columns_", ir::slots(kernel).size(), kernel.params.size(),
                            "parameters_", plan.variants.size(), "variants", plan.transforms.size(),
                            "transforms", orNull(plan.noSeparable), orNull(plan.noNufft),
                            ir::pointField(kernel) != nullptr
                                ? "nullptr"
                                : fmt::format("facet::reference<::{}, Columns>", type),
                            kernel.origin.empty()
                                ? "nullptr"
                                : fmt::format("facet::origin<::{}, Columns>", type),
                            ir::outputsOf(kernel).size(), "outputs_"));
}

} // namespace

std::string libraryText(const LibraryPlan &plan) {
  const ir::Kernel &kernel = plan.request.kernel;
  const std::string &type = plan.request.type.empty() ? kernel.name : plan.request.type;
  std::string text = head(plan) + source(plan);
  text += "#include <facet/abi.h>\n#include <facet/reference.h>\n#include <facet/steady_stack.h>\n";
  if (hasDevices(plan))
    // Halide's runtime of a device keeps memory of its own beyond a call: names apart.
    text += "#include <facet/device_call.h>\n#include <facet/tensor_call.h>\n"
            "#define FACET_TABLES_MALLOC facet_tables_malloc\n"
            "#define FACET_TABLES_FREE facet_tables_free\n";
  if (std::ranges::any_of(plan.variants, [](const PlannedSum &sum) {
        return sum.variant.algorithm == passes::Algorithm::Separable;
      }))
    text += "#include <facet/scratch.h>\n";
  text += "\nnamespace {\n" + loader(kernel, type);
  text += cppPrelude();
  text += cppAdapterPrelude();
  text += tables(plan) + description(plan, type);
  const auto exported = [&](const std::string &name) {
    return fmt::format("extern \"C\" __attribute__((visibility(\"default\"))) const "
                       "facet_kernel_description *{}(void) {{ return &description; }}\n",
                       name);
  };
  text += exported("facet_kernel_" + kernel.name);
  if (plan.request.form != LibraryForm::Object)
    text += exported("facet_kernel");
  return plan.request.form == LibraryForm::Module ? text + "#include <facet/module.h>\n" : text;
}

} // namespace facet::lower
