// stages.cpp - one function a stage: the IR, one sum kernel, or the whole library.
#include "stages.h"
#include "codegen/driver/options/choice.h"
#include "codegen/driver/options/schedules.h"
#include "codegen/lower/lower.h"
#include "codegen/passes/forms/forms.h"
#include "library.h"
#include "output.h"
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <iterator>
#include <string_view>
#include <utility>

namespace facet::driver {

namespace {

void emitIr(const Options &options, const Input &input) {
  if (options.after.empty() && options.only.empty() && options.printCounts.empty())
    return writeText(options.output, ir::print(input.kernel));
  const passes::Variant variant = choose(options, input.kernel, false).variant();
  const ir::Kernel kernel = passes::run(input.kernel, variant, pipelineOptions(options));
  writeText(options.output, options.printCounts.empty()
                                ? ir::print(kernel)
                                : passes::print(passes::count(kernel)) + "\n");
}

void emitSum(const Options &options, const Input &input, lower::Form form) {
  const Choice choice = choose(options, input.kernel, false);
  lower::SumKernel sum;
  sum.variant = choice.variant();
  if (sum.variant.algorithm == passes::Algorithm::Nufft)
    throw ir::Error{fmt::format("--emit={}: --algorithms=nufft has no sum over records of its own, "
                                "but transforms: see --emit=ir --after=all",
                                options.emit),
                    {}};
  sum.target = choice.target();
  sum.kernel = passes::run(input.kernel, sum.variant, pipelineOptions(options));
  sum.knobs = lower::defaultKnobs(sum.kernel, sum.variant, sum.target);
  if (!options.schedules.empty()) {
    const std::vector<lower::TunedKnobs> all = readSchedules(options.schedules);
    if (const lower::TunedKnobs *tuned =
            lower::findTuned(all, lower::shapeOf(input.kernel), sum.variant, sum.target))
      sum.knobs = tuned->knobs;
  }
  if (const std::string wrong = schedules::parse(options.knobs, sum.knobs); !wrong.empty())
    throw ir::Error{fmt::format("--knobs={}: {}", options.knobs, wrong), {}};
  if (sum.knobs.addition && sum.variant.algorithm == passes::Algorithm::Direct) {
    sum.variant.addition = true;
    sum.kernel = passes::run(input.kernel, sum.variant, pipelineOptions(options));
  }
  sum.symbol = "facet_sum_" + input.kernel.name;
  writeWhole(options.output, [&](const std::string &path) { lower::emit(sum, form, path); });
}

void emitExplanation(const Options &options, const Input &input) {
  std::ifstream file(input.source);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  writeText(options.output,
            passes::explain(input.kernel, std::filesystem::path(options.input).filename(), text));
}

using Stage = void (*)(const Options &, const Input &);

constexpr std::pair<std::string_view, Stage> stages[] = {
    {"ir", emitIr},
    {"explain", emitExplanation},
    {"stmt", [](auto &options, auto &input) { emitSum(options, input, lower::Form::Stmt); }},
    {"llvm", [](auto &options, auto &input) { emitSum(options, input, lower::Form::Llvm); }},
    {"asm", [](auto &options, auto &input) { emitSum(options, input, lower::Form::Asm); }},
    {"cpp", emitLibraryText},
    {"object", emitObject},
    {"library", emitLibrary},
    {"header", emitHeader},
    {"manifest", emitManifest},
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
