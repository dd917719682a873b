// explore.h - a kernel as data that a page shows: IR after each pass, formulas, loops, assembly.
#pragma once
#include "codegen/lower/library/library.h"
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace facet::explore {

using Json = nlohmann::ordered_json;

/// Numbers of a kernel's values at a probe, {region: {"%1": [f32, f64, reference, marked]}}, each a
/// list of reals; empty: none are asked for.
using ProbeNumbers = std::function<Json(const ir::Kernel &, const passes::Variant &)>;

struct Request {
  const lower::SourceKernel &source;
  std::string file; // as people call it
  /// Those that the kernel has no form for are left out, and `refusals` says why.
  std::vector<passes::Variant> variants;
  std::vector<std::string> targets;
  std::string knobs; // for every sum
  const std::vector<lower::TunedKnobs> &tuned;
  passes::PipelineOptions pipeline;
  ProbeNumbers numbers{};
};

/// {"file", "kernel", "doc", "text", "explanation", "refusals", "variants"}, as links.js of the
/// pages reads it. A sum that cannot be made has an `error` in the place of its code. Throws
/// ir::Error for passes that break the kernel and knobs that are not legal.
Json explore(const Request &request);

/// Gives each value without a place that of what uses it, and at last that of what the region
/// yields in `source`, the kernel before any pass (passes.cpp).
void fillPlaces(ir::Kernel &kernel, const ir::Kernel &source);

/// A pass's name and reason, and the kernel's lines after it, if it changed any (passes.cpp).
Json passesOf(const ir::Kernel &kernel, const passes::Variant &variant,
              const passes::PipelineOptions &options, const ProbeNumbers &numbers);

/// The loops of Halide's statement, what each goes over, and what is made within, with its depth
/// (loops.cpp).
Json loopsOf(const std::string &statement);

} // namespace facet::explore
