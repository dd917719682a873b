// tables.cpp - the functions of variants and transforms, and the tables that list them.
#include "codegen/lower/cpp/emit.h"
#include "parts.h"
#include <fmt/format.h>
#include <functional>
#include <map>

namespace facet::lower {
namespace {

std::string_view className(passes::Class klass) {
  return klass == passes::Class::F32          ? "FACET_F32"
         : klass == passes::Class::F32Careful ? "FACET_F32_CAREFUL"
                                              : "FACET_F64";
}
std::string_view qKind(const passes::Variant &variant) {
  return variant.complexQ ? "FACET_COMPLEX_Q" : "FACET_REAL_Q";
}

/// Text in which each function stands once: pack serves every target and often both grid kinds,
/// finish every class, totals every algorithm.
class Functions {
public:
  std::string text;

  /// The name of the function that `make` writes: `name`, or that of an equal one.
  std::string once(const std::string &name, const std::function<std::string(std::string)> &make) {
    const auto [found, fresh] = named.try_emplace(make("function"), name);
    if (fresh)
      (text += "\n") += make(name);
    return found->second;
  }
  /// Likewise for facet_totals_fn; "nullptr" where the kernel has none.
  std::string totals(const std::string &name, const ir::Kernel &kernel) {
    if (kernel.totals.empty())
      return "nullptr";
    return once("totals_" + name, [&](const std::string &as) { return cppTotals(kernel, as); });
  }

private:
  std::map<std::string, std::string> named; // text under a common name, and the name it was given
};

/// Records a call of a device should take: enough for the copy to be small beside the sum.
constexpr int deviceRecords = 1 << 20;

std::string rows(const LibraryPlan &plan, const CompiledVariant &variant, Functions &functions) {
  const std::string name = variantName(plan, variant);
  const passes::Variant &v = variant.variant;
  const std::string pack = functions.once("pack_" + name, [&](const std::string &as) {
    return cppPack(variant.kernel, as, v.klass != passes::Class::F64);
  });
  const std::string finish = functions.once(
      "finish_" + name, [&](const std::string &as) { return cppFinish(variant.kernel, as); });
  const std::string totals = functions.totals(name, variant.kernel);
  const auto [narrow, wide] = packedFields(variant.kernel);
  std::string text;
  for (const std::string &target : variant.targets) {
    const SumKernel sum = sumKernel(plan, variant, target);
    const auto padding = pad(sum);
    const bool device = interfaceOf(target) != "FACET_CPU";
    functions.text +=
        device ? cppDeviceAdapter(variant, sum) : cppAdapter(variant, sum.symbol, sum.knobs.blockT);
    text += fmt::format(
        "  {{\"{}\", {}, {}, {}, {}, {}, {}, {}, {}, {}, {{{}, {}, {}}}, {}, {}, call_{}, {}, "
        "{}, {{{}, {}, {}}}, \"{}\", {}}},\n",
        target, className(v.klass),
        v.grid == ir::GridKind::Product ? "FACET_PRODUCT" : "FACET_POINTS", qKind(v),
        v.algorithm == passes::Algorithm::Separable ? "FACET_SEPARABLE" : "FACET_DIRECT",
        v.nodes ? 1 : 0, narrow, wide, totalsOf(variant.kernel),
        device ? deviceRecords : sum.knobs.blockT, padding[0], padding[1], padding[2],
        cppNumber(errorBound(v, target)), pack, sum.symbol, finish, totals,
        v.grid == ir::GridKind::Points ? sum.knobs.gridZ : 0,
        v.grid == ir::GridKind::Points ? 0 : sum.knobs.gridY,
        v.grid == ir::GridKind::Points ? 0 : sum.knobs.gridZ,
        schedules::print(sum.knobs, v.algorithm == passes::Algorithm::Separable, device),
        interfaceOf(target));
  }
  return text;
}

std::string row(const LibraryPlan &plan, const CompiledVariant &variant, Functions &functions) {
  const std::string name =
      fmt::format("{}_{}", plan.request.kernel.name, qName(variant.variant.complexQ));
  const std::vector<ir::Wave> waves = ir::wavesOf(variant.kernel);
  std::string of;
  int transforms = 0;
  for (std::size_t w = 0; w < waves.size(); ++w)
    for (std::size_t k = 0; k < waves[w].strengths.size(); ++k, ++transforms)
      of += fmt::format("{}{}", of.empty() ? "" : ", ", w);
  const std::string fill = functions.once(
      "fill_" + name, [&](const std::string &as) { return cppWaves(variant.kernel, as); });
  const std::string combine = functions.once(
      "combine_" + name, [&](const std::string &as) { return cppCombine(variant.kernel, as); });
  const std::string totals = functions.totals("transforms_" + name, variant.kernel);
  functions.text += fmt::format("\nconst int32_t wave_of_{}[] = {{{}}};\n", name, of);
  return fmt::format("  {{{}, {}, {}, {}, wave_of_{}, {}, {}, {}, {}}},\n", qKind(variant.variant),
                     variant.variant.nodes ? 1 : 0, waves.size(), transforms, name,
                     totalsOf(variant.kernel), fill, totals, combine);
}

} // namespace

std::string cppTables(const LibraryPlan &plan) {
  Functions functions;
  std::string variants;
  std::string transforms;
  for (const CompiledVariant &variant : plan.variants)
    variants += rows(plan, variant, functions);
  for (const CompiledVariant &variant : plan.transforms)
    transforms += row(plan, variant, functions);
  functions.text += fmt::format("\nconst facet_variant variants[] = {{\n{}}};\n", variants);
  return functions.text +
         (transforms.empty()
              ? "const facet_transforms *const transforms = nullptr;\n"
              : fmt::format("const facet_transforms transforms[] = {{\n{}}};\n", transforms));
}

} // namespace facet::lower
