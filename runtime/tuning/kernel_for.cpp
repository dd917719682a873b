// kernel_for.cpp - chooses what facetc is to make for a grid, and gets it from the cache or from
// facetc.
#include "runtime/tuning/kernel_for.h"
#include "runtime/kernel/asked.h"
#include "runtime/tuning/tuned.h"
#include <algorithm>
#include <facet/runtime/plan.h>
#include <filesystem>
#include <fmt/format.h>

namespace facet::runtime {
namespace {

/// The knobs that hold here, of these targets and kind of q, as facetc reads them.
std::string knobsFor(const Schedules &all, const std::string &targets, const std::string &q) {
  std::vector<Tuned> some;
  std::ranges::copy_if(all.held, std::back_inserter(some), [&](const Tuned &t) {
    return t.key.q == q && ("," + targets + ",").find("," + t.key.target + ",") != std::string::npos;
  });
  return schedulesJson(some);
}

} // namespace

// A short z axis pads badly as a product: known without compiling if it is shorter than half a
// vector, else from the product variant's padding.
KernelFound kernelFor(const KernelWanted &wanted, const Grid &grid) {
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
  request.target = forcedTarget(wanted.target);
  if (request.target.empty())
    request.target = bestTarget();
  request.q = grid.complexQ() ? FACET_COMPLEX_Q : FACET_REAL_Q;
  const Schedules tuned =
      schedulesHere(wanted.schedules, [&](const auto &text) { say("warning: " + text); },
                    isDeviceTarget(request.target));
  request.schedules = knobsFor(tuned, targetList(request.target), qName(request.q));
  const bool separable = wanted.algorithm == "separable";
  const bool points =
      grid.kind == Grid::Kind::Points || (grid.extents()[2] < 8 && !separable);
  request.grid = points ? FACET_POINTS : FACET_PRODUCT;
  if (wanted.compiling)
    request.compiling = [&] { wanted.compiling(request.target); };
  bool compiled = false;
  double seconds = 0;
  const auto get = [&] {
    const Compiled made = compileKernel(file, request);
    compiled = compiled || !made.hit;
    seconds += made.seconds;
    return Kernel::load(made.library);
  };
  Kernel kernel = get();
  if (request.grid == FACET_PRODUCT && !separable && prefersPoints(kernel, grid)) {
    request.grid = FACET_POINTS;
    kernel = get();
  }
  return {std::move(kernel), file, compiled, seconds};
}

} // namespace facet::runtime
