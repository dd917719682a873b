// stages.cpp - one function a stage: the IR, one sum kernel, or the whole library.
#include "stages.h"
#include "codegen/driver/options/choice.h"
#include "codegen/driver/options/schedules.h"
#include "codegen/lower/tensor/tensor.h"
#include "codegen/lower/variant.h"
#include "codegen/passes/forms.h"
#include "library.h"
#include "output.h"
#include "schedules/targets.h"
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <iterator>
#include <string_view>
#include <utility>

namespace facet::driver {

namespace {

/// The kernel after the passes that the options name.
ir::Kernel afterPasses(const Options &options, const Input &input) {
  passes::Variant variant = choose(options, input.kernel, false).variant();
  schedules::Knobs knobs;
  if (const std::string wrong = schedules::parse(options.knobs, knobs); !wrong.empty())
    throw ir::Error{fmt::format("--knobs={}: {}", options.knobs, wrong), {}};
  variant.addition = knobs.addition && variant.algorithm == passes::Algorithm::Direct;
  variant.hardware = knobs.hardware && passes::takesHardware(variant);
  return passes::run(input.kernel, variant, pipelineOptions(options));
}

void emitIr(const Options &options, const Input &input) {
  if (options.after.empty() && options.only.empty() && options.printCounts.empty())
    return writeText(options.output, ir::print(input.kernel));
  const ir::Kernel kernel = afterPasses(options, input);
  writeText(options.output, options.printCounts.empty()
                                ? ir::print(kernel)
                                : passes::print(passes::count(kernel)) + "\n");
}

/// Where each value is computed.
void emitPlacement(const Options &options, const Input &input) {
  writeText(options.output, ir::print(afterPasses(options, input), true));
}

void emitSum(const Options &options, const Input &input, lower::Form form) {
  const Choice choice = choose(options, input.kernel, false);
  const passes::Variant variant = choice.variant();
  if (variant.algorithm == passes::Algorithm::Nufft)
    throw ir::Error{fmt::format("--emit={}: --algorithms=nufft has no sum over records of its own, "
                                "but transforms: see --emit=ir --after=all",
                                options.emit),
                    {}};
  schedules::Knobs asked;
  if (schedules::parse(options.knobs, asked);
      asked.tensor && !lower::takesTensor(variant, choice.target()))
    lower::refuseTensor("--knobs=" + options.knobs);
  const std::vector<lower::TunedKnobs> tuned = options.schedules.empty()
                                                   ? std::vector<lower::TunedKnobs>{}
                                                   : readSchedules(options.schedules);
  lower::SumKernel sum =
      lower::VariantResolver(input.kernel, pipelineOptions(options), tuned, options.knobs)
          .resolveVariant(variant, choice.target());
  sum.symbol = "facet_sum_" + input.kernel.name;
  writeWhole(options.output, [&](const std::string &path) { lower::emit(sum, form, path); });
}

/// The sum on tensor cores, which have one form: separable, in double.
void emitCuda(const Options &options, const Input &input) {
  const passes::Variant variant = choose(options, input.kernel, false).variant();
  if (variant.algorithm != passes::Algorithm::Separable || variant.klass != passes::Class::F64)
    throw ir::Error{fmt::format("--emit=cuda: tensor cores take separable sums in double; got {}, "
                                "{}: add --algorithms=separable --class=f64",
                                passes::spelling(variant.algorithm),
                                passes::spelling(variant.klass)),
                    {}};
  const ir::Kernel kernel = passes::run(input.kernel, variant, pipelineOptions(options));
  writeText(options.output, lower::tensor::cuda(kernel, "facet_sum_" + kernel.name).text);
}

void emitExplanation(const Options &options, const Input &input) {
  std::ifstream file(input.source);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  writeText(options.output,
            passes::explain(input.kernel, std::filesystem::path(options.input).filename(), text));
}

/// What is read is not written over: the kernel, schedules.
void keepInputs(const Options &options, const Input &input) {
  for (const std::string &path : {input.source, options.schedules})
    if (std::error_code code; std::filesystem::equivalent(path, options.output, code))
      throw ir::Error{fmt::format("-o {}: is {}, which is read here: writing there would destroy "
                                  "it; write somewhere else",
                                  options.output, path),
                      {}};
}

using Stage = void (*)(const Options &, const Input &);

constexpr std::pair<std::string_view, Stage> stages[] = {
    {"ir", emitIr},
    {"placement", emitPlacement},
    {"explain", emitExplanation},
    {"stmt", [](auto &options, auto &input) { emitSum(options, input, lower::Form::Stmt); }},
    {"llvm", [](auto &options, auto &input) { emitSum(options, input, lower::Form::Llvm); }},
    {"asm", [](auto &options, auto &input) { emitSum(options, input, lower::Form::Asm); }},
    {"device", [](auto &options, auto &input) { emitSum(options, input, lower::Form::Device); }},
    {"cuda", emitCuda},
    {"cpp", emitLibraryText},
    {"object", emitObject},
    {"library", emitLibrary},
    {"header", emitHeader},
    {"manifest", emitManifest},
};

} // namespace

void emitStage(const Options &options, const Input &input) {
  keepInputs(options, input);
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
