// kernel_for.cpp - chooses what facetc is to make for a grid, and gets it from the cache or from
// facetc.
#include "runtime/engine/kernel/kernel_for.h"
#include "runtime/engine/kernel/inside.h"
#include "runtime/engine/kernel/tuned.h"
#include "runtime/engine/system/kept.h"
#include "runtime/engine/system/round_up.h"
#include <algorithm>
#include <filesystem>
#include <fmt/ranges.h>
#include <utility>

namespace facet::runtime {
namespace {

/// Says if this kernel was tuned in another shape, or by other versions.
void sayUnused(const Schedules &all, const Kernel &kernel, const KernelRequest &wanted) {
  const auto here = [&](const TunedEntry &t) { return t.key.shape == kernel->shape; };
  if (!wanted.say || std::ranges::any_of(all.held, here))
    return;
  const std::string help = "\n  help: facet tune " + wanted.kernel;
  if (const auto old = std::ranges::find_if(all.stale, here); old != all.stale.end()) {
    wanted.say(fmt::format("{}: knobs of {} are not used: {}{}", kernel->name, old->date,
                           old->refusal, help));
    return;
  }
  const auto other = std::ranges::find_if(
      all.held, [&](const TunedEntry &t) { return !t.shipped && t.key.kernel == kernel->name; });
  if (other != all.held.end())
    wanted.say(fmt::format("{} was tuned in another shape on {}: its defaults are used{}",
                           kernel->name, other->date, help));
}

KernelBuild compiled(const std::string &file, const CompileRequest &request) {
  static FileCache<Kernel> loaded; // for the next call from Python
  const Compiled made = compileKernel(file, request);
  const auto kernel = loaded.get(made.library, [&] { return Kernel::load(made.library); });
  return {*kernel, file, !made.hit, made.seconds};
}

/// Whether the grid, a product, is cheaper as a list of points with this kernel: its z axis is too
/// short for the padding of the product variants for this target.
bool prefersPoints(const Kernel &kernel, const std::string &target, const Grid &grid) {
  const double asPoints = pointCost * static_cast<double>(roundUp(grid.size(), 16));
  const auto padsBadly = [&](const facet_variant &v) {
    double padded = 1;
    for (std::size_t k = 0; k < 3; ++k)
      padded *= static_cast<double>(roundUp(grid.extents()[k], v.pad[k]));
    return target == v.target && v.grid == FACET_PRODUCT && v.algorithm == FACET_DIRECT &&
           padded > asPoints;
  };
  if (kernel->axis_column_count > 0) // a list has no axes
    return false;
  return grid.kind != Grid::Kind::Product ||
         std::any_of(kernel->variants, kernel->variants + kernel->variant_count, padsBadly);
}

} // namespace

// This is known without compiling if the axis is shorter than half a vector, else from the product
// variant's padding.
facet_grid_kind libraryGrid(const Grid &grid, const std::string &algorithm) {
  const bool isShort = grid.extents()[2] < 8 && algorithm != "separable";
  return grid.kind == Grid::Kind::Points || isShort ? FACET_POINTS : FACET_PRODUCT;
}

KernelBuild kernelFor(const KernelRequest &wanted, const Grid &grid) {
  const auto say = [&](const std::string &text) {
    if (wanted.say && !text.empty())
      wanted.say(text);
  };
  const auto [spec, name] = splitKernel(wanted.kernel);
  const std::string file = findKernel(spec);
  say(targetRemark(wanted.target));
  if (std::filesystem::path(file).extension() == ".so")
    return {Kernel::load(file), file};
  CompileRequest request;
  request.kernel = name;
  const std::vector<std::string> targets = targetsFor(wanted.target);
  request.target = fmt::format("{}", fmt::join(targets, ","));
  request.q = grid.complexQ() ? FACET_COMPLEX_Q : FACET_REAL_Q;
  const auto warn = [&](const std::string &text) { say("warning: " + text); };
  const Schedules tuned = schedulesHere(wanted.schedules, warn, isDeviceTarget(targets.back()));
  request.schedules = schedulesJson(tuned.held, targetList(request.target), qName(request.q));
  if (wanted.compiling)
    request.compiling = [&] { wanted.compiling(request.target); };
  request.grid = libraryGrid(grid, wanted.algorithm);
  KernelBuild found = compiled(file, request);
  if (request.grid == FACET_PRODUCT && wanted.algorithm != "separable" &&
      prefersPoints(found.kernel, targets.front(), grid)) {
    request.grid = FACET_POINTS;
    const KernelBuild product = std::exchange(found, compiled(file, request));
    found.compiled = found.compiled || product.compiled;
    found.seconds += product.seconds;
  }
  sayUnused(tuned, found.kernel, wanted);
  return found;
}

} // namespace facet::runtime
