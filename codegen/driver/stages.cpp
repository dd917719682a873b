// stages.cpp - one function a stage: the IR, one sum kernel, the whole library, or loops for
// rooflines.
#include "codegen/frontend/frontend.h"
#include "codegen/lower/tensor/tensor.h"
#include "codegen/passes/forms.h"
#include "driver.h"
#include <filesystem>
#include <fmt/format.h>

namespace facet::driver {
namespace {

/// The kernel after the passes that the options name.
ir::Kernel afterPasses(const Options &options, const Input &input) {
  passes::Variant variant = variantOf(options, input.kernel);
  schedules::Knobs knobs;
  if (const std::string wrong = schedules::parse(options.knobs, knobs); !wrong.empty())
    throw ir::Error{fmt::format("--knobs={}: {}", options.knobs, wrong)};
  variant.addition = knobs.addition && variant.algorithm == passes::Algorithm::Direct;
  variant.hardware = knobs.hardware && passes::takesHardware(variant);
  return passes::run(input.kernel, variant, pipelineOptions(options));
}

void emitIr(const Options &options, const Input &input) {
  const bool asWritten = options.after.empty() && options.only.empty();
  if (!options.at.empty())
    return emitValues(options, input, asWritten ? input.kernel : afterPasses(options, input),
                      false);
  if (asWritten && options.printCounts.empty())
    return writeText(options.output, ir::print(input.kernel));
  const ir::Kernel kernel = afterPasses(options, input);
  writeText(options.output, options.printCounts.empty()
                                ? ir::print(kernel)
                                : passes::print(passes::count(kernel)) + "\n");
}

/// Prints the kernel with the place where each value is computed.
void emitPlacement(const Options &options, const Input &input) {
  const ir::Kernel kernel = afterPasses(options, input);
  if (!options.at.empty())
    return emitValues(options, input, kernel, true);
  writeText(options.output, ir::print(kernel, true));
}

template <lower::Form form> void emitSum(const Options &options, const Input &input) {
  const passes::Variant variant = variantOf(options, input.kernel);
  if (variant.algorithm == passes::Algorithm::Nufft)
    throw ir::Error{fmt::format("--emit={}: --algorithms=nufft has no sum over records of its own, "
                                "but transforms: see --emit=ir --after=all",
                                options.emit)};
  const std::string target = targetOf(options, input.kernel);
  lower::checkTensor(options.knobs, lower::takesTensor(input.kernel, variant, target));
  const std::vector<lower::TunedKnobs> tuned = readSchedules(options.schedules);
  lower::SumKernel sum = lower::VariantResolver(input.kernel, pipelineOptions(options), tuned)
                             .resolve(variant, target, options.knobs);
  sum.symbol = "facet_sum_" + input.kernel.name;
  writeWhole(options.output, [&](const std::string &path) { lower::emit(sum, form, path); });
}

/// The sum on tensor cores, which have one form: separable, in double.
void emitCuda(const Options &options, const Input &input) {
  const passes::Variant variant = variantOf(options, input.kernel);
  if (variant.algorithm != passes::Algorithm::Separable || variant.klass != passes::Class::F64)
    throw ir::Error{fmt::format("--emit=cuda: tensor cores take separable sums in double; got {}, "
                                "{}: add --algorithms=separable --class=f64",
                                passes::spelling(variant.algorithm),
                                passes::spelling(variant.klass))};
  const ir::Kernel kernel = passes::run(input.kernel, variant, pipelineOptions(options));
  writeText(options.output, lower::tensor::cuda(kernel, "facet_sum_" + kernel.name).text);
}

void emitExplanation(const Options &options, const Input &input) {
  writeText(
      options.output,
      passes::explain(input.kernel, std::filesystem::path(options.input).filename(), input.text));
}

void tell(const Options &options, std::string_view stage, double seconds) {
  if (!options.timings.empty())
    fmt::print(stderr, "{:8.3f} s  {}\n", seconds, stage);
}

lower::LibraryPlan plan(const Options &options, const Input &input) {
  const double start = lower::now();
  lower::LibraryPlan made = lower::planLibrary(libraryRequest(options, input));
  tell(options, "passes", lower::now() - start);
  return made;
}

/// Text of a library, from its plan.
template <auto text> void emitText(const Options &options, const Input &input) {
  writeText(options.output, text(plan(options, input)));
}

void build(const Options &options, const Input &input) {
  if (options.output.empty() || options.output == "-")
    throw ir::Error{fmt::format("--emit={} is no text: say where with -o FILE", options.emit)};
  const lower::LibraryPlan made = plan(options, input);
  const double start = lower::now();
  writeWhole(options.output, [&](const std::string &path) {
    for (const auto &[stage, seconds] : lower::buildLibrary(made, path))
      tell(options, stage, seconds);
  });
  tell(options, "code in all", lower::now() - start);
}

/// Throws if the output would overwrite an input: the kernel or the schedules.
void keepInputs(const Options &options, const Input &input) {
  for (const std::string &path : {input.source, options.schedules})
    if (std::error_code code; std::filesystem::equivalent(path, options.output, code))
      throw ir::Error{fmt::format("-o {}: is {}, which is read here: writing there would destroy "
                                  "it; write somewhere else",
                                  options.output, path)};
}

using Stage = void (*)(const Options &, const Input &);

constexpr std::pair<std::string_view, Stage> stages[] = {
    {"ir", emitIr},
    {"placement", emitPlacement},
    {"explain", emitExplanation},
    {"explore", emitExploration},
    {"stmt", emitSum<lower::Form::Stmt>},
    {"llvm", emitSum<lower::Form::Llvm>},
    {"asm", emitSum<lower::Form::Asm>},
    {"device", emitSum<lower::Form::Device>},
    {"cuda", emitCuda},
    {"cpp", emitText<lower::libraryText>},
    {"sums", build},
    {"object", build},
    {"library", build},
    {"module", build},
    {"header", emitText<lower::libraryHeader>},
    {"manifest", emitText<lower::libraryManifest>},
};

} // namespace

lower::LibraryRequest libraryRequest(const Options &options, const Input &input) {
  lower::LibraryRequest request;
  static_cast<lower::Selection &>(request) = choose(options, input.kernel, true);
  static_cast<lower::SourceKernel &>(request) = input;
  request.files = {{input.source, input.hash}};
  request.commandLine = options.commandLine;
  request.frontVersion = "LLVM " FACET_LLVM_VERSION;
  request.pipeline = pipelineOptions(options);
  if (!request.pipeline.after.empty())
    throw ir::Error{"--after stops the passes; a library needs all of them"};
  request.knobs = options.knobs;
  request.tuned = readSchedules(options.schedules);
  request.form = options.emit == "object"                          ? lower::LibraryForm::Object
                 : options.emit == "module"                        ? lower::LibraryForm::Module
                 : options.emit == "sums" || options.emit == "cpp" ? lower::LibraryForm::Sums
                                                                   : lower::LibraryForm::Shared;
  request.compileCpp =
      request.form == lower::LibraryForm::Module ? frontend::compileWasm : frontend::compileObject;
  return request;
}

void emitStage(const Options &options, const Input &input) {
  keepInputs(options, input);
  const std::string wanted = options.emit.empty() ? "ir" : options.emit;
  if (!options.at.empty() && wanted != "ir" && wanted != "placement" && wanted != "explore")
    throw ir::Error{
        fmt::format("--at is with the stages ir, placement and explore, not {}", wanted)};
  std::string known;
  for (const auto &[name, stage] : stages) {
    known += fmt::format(" {}", name);
    if (name == wanted)
      return stage(options, input);
  }
  throw ir::Error{fmt::format("--emit={}: no such stage; the stages are:{}", wanted, known)};
}

void emitCeilings(const Options &options) {
  if (!options.input.empty())
    throw ir::Error{fmt::format("--emit=ceilings is of a target, not of a kernel: leave out '{}'",
                                options.input)};
  const std::string target =
      options.targets.empty() || options.targets == "native" ? nativeTarget() : options.targets;
  const bool isText =
      options.output.empty() || options.output == "-" || options.output.ends_with(".s");
  writeWhole(options.output, [&](const std::string &path) {
    if (isText)
      lower::writeCeilings(target, path);
    else
      lower::buildCeilings(target, frontend::compileObject, path);
  });
}

std::string passLists() {
  using passes::Algorithm;
  std::string out;
  for (const Algorithm algorithm : {Algorithm::Direct, Algorithm::Separable, Algorithm::Nufft}) {
    passes::Variant variant;
    variant.algorithm = algorithm;
    out += fmt::format("{}{}:\n", out.empty() ? "" : "\n", passes::spelling(algorithm));
    for (const passes::Pass &pass : passes::pipeline(variant))
      out += fmt::format("  {:<12} {}\n", pass.name, pass.why);
  }
  return out;
}

std::string opsTable() {
  std::string out = "| op | flops | meaning |\n|---|---|---|\n";
  for (const ir::OpInfo &op : ir::ops()) {
    std::string text; // a bar would end the cell
    for (const char c : op.doc) {
      if (c == '|')
        text += '\\';
      text += c;
    }
    out += fmt::format("| `{}` | {} | {} |\n", op.spelling, op.flops, text);
  }
  return out;
}

std::string knobsTable() {
  // In the order of KnobUse.
  static constexpr std::string_view sums[] = {"direct",  "separable",       "both",
                                              "of CPUs", "direct, of CPUs", "of devices"};
  std::string out = "| knob | legal values | 0 means | sums | what it does |\n"
                    "|---|---|---|---|---|\n";
  for (const schedules::KnobInfo &knob : schedules::knobTable())
    out += fmt::format("| `{}` | {} | {} | {} | {} |\n", knob.name, schedules::legalValues(knob),
                       knob.zero.empty() ? "-" : knob.zero,
                       sums[static_cast<std::size_t>(knob.use)], knob.doc);
  return out;
}

} // namespace facet::driver
