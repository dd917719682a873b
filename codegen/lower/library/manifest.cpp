// manifest.cpp - what a kernel library says of itself: the JSON manifest, the C header, the
// versions.
#include "codegen/ir/roles.h"
#include "codegen/lower/cpp/emit.h"
#include "dsl/facet/abi.h"
#include "library.h"
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace facet::lower {
namespace {

using Json = nlohmann::ordered_json;

std::string_view translationName(int translation) {
  return translation == FACET_TRANSLATE_ALWAYS   ? "always"
         : translation == FACET_TRANSLATE_CLOSED ? "closed meshes"
                                                 : "no";
}

Json operations(const passes::Counts &c) {
  return {{"flops_a_q", passes::flopsText(c)},
          {"inner_flops", c.inner.flops},
          {"inner_instructions", c.inner.instructions},
          {"inner_multiply_adds", c.fused},
          {"inner_sincos", c.sincos},
          {"inner_powers", c.powers},
          {"inner_divisions", c.divisions},
          {"row_flops", c.rows.flops},
          {"row_instructions", c.rows.instructions},
          {"row_values", c.rowValues},
          {"column_flops", c.columns.flops},
          {"column_instructions", c.columns.instructions},
          {"column_values", c.columnValues},
          {"record_values", c.recordValues},
          {"pack_flops", c.pack.flops + c.totals.flops},
          {"finish_flops", c.finish.flops}};
}

Json transforms(const SumKernel &sum) {
  const std::vector<ir::Wave> waves = ir::wavesOf(sum.kernel);
  std::size_t count = 0;
  for (const ir::Wave &wave : waves)
    count += wave.strengths.size();
  return {{"q", qName(sum.variant.complexQ)},
          {"nodes", sum.variant.nodes},
          {"waves", waves.size()},
          {"transforms", count},
          {"totals", ir::totalsOf(sum.kernel)},
          {"operations", {{"combine_flops", passes::count(sum.kernel).finish.flops}}}};
}

Json knobs(const SumKernel &sum) {
  Json json = Json::object();
  const bool separable = sum.variant.algorithm == passes::Algorithm::Separable;
  const bool device = isDevice(targetOf(sum.target));
  for (const schedules::KnobInfo &knob : schedules::knobTable())
    if (schedules::isUsed(knob, separable, device))
      json[std::string(knob.name)] = sum.knobs.*knob.member;
  return json;
}

Json jsonOrNull(const std::string &text) { return text.empty() ? Json() : Json(text); }

/// The real sums by name.
Json sums(const ir::Kernel &kernel) {
  Json names = Json::array();
  for (const ir::Output &output : kernel.term.outputs)
    names.push_back(output.name);
  return names;
}

Json variantOf(const PlannedSum &sum) {
  const passes::Variant &v = sum.variant;
  Json json = {{"target", sum.target},
               {"class", passes::spelling(v.klass)},
               {"grid", gridName(v.grid)},
               {"q", qName(v.complexQ)},
               {"algorithm", passes::spelling(v.algorithm)},
               {"nodes", v.nodes},
               {"narrow", packedColumns(sum.kernel, false)},
               {"wide", packedColumns(sum.kernel, true)},
               {"sums", sums(sum.kernel)},
               {"operations", operations(passes::count(sum.kernel))},
               {"knobs", knobs(sum)},
               {"schedule", sum.from},
               {"pad", pad(sum)},
               {"error_bound", errorBound(sum)}};
  if (sum.terms > 0)
    json["terms"] = sum.terms;
  return json;
}

/// What the kernel file says: columns, parameters, grid.
void describe(const ir::Kernel &kernel, Json &json) {
  json["grid"] = {{"kind", gridName(kernel.grid)}, {"q", Json::array()}};
  for (const ir::AxisType &axis : kernel.axes)
    json["grid"]["q"].push_back(
        {{"type", ir::spelling(axis.type)}, {"fixed", axis.fixed > 0 ? Json(axis.fixed) : Json()}});
  json["shape"] = shapeOf(kernel);
  json["triangle"] = kernel.triangle;
  json["columns"] = columnNames(kernel);
  for (const ir::Field &field : axisFields(kernel))
    json["axis_columns"].push_back(
        {{"name", field.name}, {"axis", std::string(1, "xyzq"[field.axis])}});
  for (const ir::Field &field : kernel.fields) {
    if (field.axis >= 0)
      continue;
    const ir::PoseRole posed = ir::posed(kernel, field);
    Json &role = json["roles"][field.name] = {
        {"turns", posed.turns}, {"power", posed.power}, {"moves", posed.moves}};
    if (!posed.known)
      role["unclear"] = true;
  }
  json["params"] = Json::array();
  for (const ir::Param &param : kernel.params)
    json["params"].push_back({{"name", param.name},
                              {"type", ir::spelling(param)},
                              {"default", param.value.empty() ? Json() : Json(param.value)}});
  json["origin"] = !kernel.origin.empty();
  for (const auto &[name, isComplex] : ir::outputsOf(kernel))
    if (!name.empty())
      json["outputs"].push_back({{"name", name}, {"type", isComplex ? "cplx" : "real"}});
}

} // namespace

std::string versions(const LibraryPlan &plan) {
  return fmt::format("facetc {}, Halide {}, {}", FACET_VERSION, schedules::halideVersion(),
                     plan.request.frontVersion);
}

std::string libraryManifest(const LibraryPlan &plan) {
  const LibraryRequest &request = plan.request;
  const ir::Kernel &kernel = request.kernel;
  Json json;
  json["name"] = kernel.name;
  json["doc"] = kernel.doc;
  json["made_by"] = {{"command", request.commandLine},
                     {"facet", FACET_VERSION},
                     {"halide", schedules::halideVersion()},
                     {"front_end", request.frontVersion},
                     {"abi", FACET_ABI_VERSION}};
  json["files"] = Json::array();
  for (const SourceFile &file : request.files)
    json["files"].push_back({{"path", file.path}, {"hash", file.hash}});
  describe(kernel, json);
  json["translation"] = translationName(translationOf(kernel));
  json["reference"] =
      request.printed ? "the IR before any pass, in double" : "the kernel file, in double";
  json["targets"] = request.targets;
  json["variants"] = Json::array();
  for (const PlannedSum &sum : plan.variants)
    json["variants"].push_back(variantOf(sum));
  json["transforms"] = Json::array();
  for (const SumKernel &sum : plan.transforms)
    json["transforms"].push_back(transforms(sum));
  json["no_separable"] = jsonOrNull(plan.noSeparable);
  json["no_nufft"] = jsonOrNull(plan.noNufft);
  // Paths need not be UTF-8.
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string libraryHeader(const LibraryPlan &plan) {
  const ir::Kernel &kernel = plan.request.kernel;
  std::string text =
      fmt::format("/* {}.h - a compiled form-factor kernel.\n *\n * {}\n * Made by {}:\n"
                  " *   {}\n",
                  kernel.name, inComment(kernel.doc.empty() ? kernel.name : kernel.doc),
                  versions(plan), inComment(plan.request.commandLine));
  const auto list = [&](std::string_view what, const std::vector<std::string> &names) {
    if (!names.empty())
      text += fmt::format(" * {}: {}\n", what, fmt::join(names, ", "));
  };
  list("Columns read", columnNames(kernel));
  list("Parameters, in this order", ir::slots(kernel));
  std::vector<std::string> outputs;
  for (const auto &[name, isComplex] : ir::outputsOf(kernel))
    if (!name.empty())
      outputs.push_back(fmt::format("{} {}", isComplex ? "cplx" : "real", name));
  list("Outputs of F, in this order", outputs);
  list("Targets", plan.request.targets);
  return text + fmt::format(R"( */
#ifndef FACET_KERNEL_{0}_H
#define FACET_KERNEL_{0}_H
#include <facet/abi.h>
#ifdef __cplusplus
extern "C" {{
#endif

/** The static description of the kernel: variants, reference, manifest. Never null.
 * In C++: facet::runtime::Plan plan(facet::runtime::Kernel(facet_kernel_{0}()), grid, mesh); */
const facet_kernel_description *facet_kernel_{0}(void);

#ifdef __cplusplus
}}
#endif
#endif
)",
                            kernel.name);
}

} // namespace facet::lower
