// stages.cpp - one function a stage: the IR, one sum kernel, or the whole library.
#include "stages.h"
#include "output.h"
#include <array>
#include <fmt/format.h>
#ifdef FACET_HAVE_PASSES
#include "choice.h"
#endif
#ifdef FACET_HAVE_LOWER
#include "codegen/lower/lower.h"
#endif

namespace facet::driver {

namespace {

#ifdef FACET_HAVE_PASSES
passes::PipelineOptions pipelineOptions(const Options &options) {
  passes::PipelineOptions out;
#ifdef FACET_CHECK_PASSES
  out.check = true;
#else
  out.check = !options.checkPasses.empty();
#endif
  out.only = options.only;
  if (options.after != "all")
    out.after = options.after;
  return out;
}
#endif

void emitIr(const Options &options, const Input &input) {
  if (options.after.empty() && options.only.empty() && options.printCounts.empty())
    return writeText(options.output, ir::print(input.kernel));
#ifdef FACET_HAVE_PASSES
  const passes::Variant variant = choose(options, input.kernel, false).variant();
  const ir::Kernel kernel = passes::run(input.kernel, variant, pipelineOptions(options));
  writeText(options.output,
            options.printCounts.empty() ? ir::print(kernel) : passes::print(passes::count(kernel)));
#else
  throw ir::Error{"this facetc was built without passes", {}};
#endif
}

#ifdef FACET_HAVE_LOWER
void setKnobs(const Options &options, schedules::Knobs &knobs) {
  const auto set = [](std::string_view name, const std::string &text, int &knob) {
    if (!text.empty())
      knob = wholeNumber(std::string{name}, text, 1);
  };
  set("--tile-y", options.tileY, knobs.tileY);
  set("--tile-z", options.tileZ, knobs.tileZ);
  set("--block-t", options.blockT, knobs.blockT);
}

void emitSum(const Options &options, const Input &input, lower::Form form) {
  const Choice choice = choose(options, input.kernel, false);
  lower::SumKernel sum;
  sum.variant = choice.variant();
  sum.target = choice.target();
  sum.kernel = passes::run(input.kernel, sum.variant, pipelineOptions(options));
  sum.knobs = lower::defaultKnobs(sum.variant, sum.target);
  setKnobs(options, sum.knobs);
  sum.symbol = "facet_sum_" + input.kernel.name;
  writeWhole(options.output, [&](const std::string &path) { lower::emit(sum, form, path); });
}
#endif

using Stage = void (*)(const Options &, const Input &);

constexpr std::pair<std::string_view, Stage> stages[] = {
    {"ir", emitIr},
#ifdef FACET_HAVE_LOWER
    {"stmt", [](auto &options, auto &input) { emitSum(options, input, lower::Form::Stmt); }},
    {"llvm", [](auto &options, auto &input) { emitSum(options, input, lower::Form::Llvm); }},
    {"asm", [](auto &options, auto &input) { emitSum(options, input, lower::Form::Asm); }},
#endif
};

} // namespace

void emitStage(const Options &options, const Input &input) {
  const std::string wanted = options.emit.empty() ? "ir" : options.emit;
  std::string known;
  for (const auto &[name, stage] : stages) {
    known += fmt::format(" {}", name);
    if (name == wanted)
      return stage(options, input);
  }
  throw ir::Error{fmt::format("--emit={}: no such stage; the stages are:{}", wanted, known), {}};
}

} // namespace facet::driver
