// library.cpp - from options to a library: joins the builder with Clang, times, writes whole files.
#include "library.h"
#include "codegen/driver/clock.h"
#include "codegen/driver/options/choice.h"
#include "codegen/driver/options/schedules.h"
#include "codegen/frontend/frontend.h"
#include "codegen/lower/library.h"
#include "output.h"
#include <fmt/format.h>

namespace facet::driver {

namespace {

void tell(const Options &options, std::string_view stage, double seconds) {
  if (!options.timings.empty())
    fmt::print(stderr, "{:8.3f} s  {}\n", seconds, stage);
}

} // namespace

lower::LibraryRequest libraryRequest(const Options &options, const Input &input) {
  Choice choice = choose(options, input.kernel, true);
  lower::LibraryRequest request;
  request.kernel = input.kernel;
  request.type = input.type;
  request.source = input.source;
  request.files = {{input.source, input.hash}};
  request.commandLine = options.commandLine;
  request.frontVersion = "LLVM " FACET_LLVM_VERSION;
  request.targets = std::move(choice.targets);
  request.grids = std::move(choice.grids);
  request.complexQ = std::move(choice.complexQ);
  request.classes = std::move(choice.classes);
  request.algorithms = std::move(choice.algorithms);
  request.insist = choice.insist;
  request.pipeline = pipelineOptions(options);
  if (!request.pipeline.after.empty())
    throw ir::Error{"--after stops the passes; a library needs all of them", {}};
  request.knobs = options.knobs;
  if (!options.schedules.empty())
    request.tuned = readSchedules(options.schedules);
  request.compileCpp = frontend::compileObject;
  return request;
}

namespace {

lower::LibraryPlan plan(const Options &options, const Input &input) {
  const double start = now();
  lower::LibraryPlan made = lower::planLibrary(libraryRequest(options, input));
  tell(options, "passes", now() - start);
  return made;
}

void build(const Options &options, const Input &input, lower::LibraryForm form) {
  if (options.output.empty() || options.output == "-")
    throw ir::Error{fmt::format("--emit={} is no text: say where with -o FILE", options.emit), {}};
  const lower::LibraryPlan made = plan(options, input);
  const double start = now();
  writeWhole(options.output, [&](const std::string &path) {
    for (const auto &[stage, seconds] : lower::buildLibrary(made, form, path))
      tell(options, stage, seconds);
  });
  tell(options, "code in all", now() - start);
}

} // namespace

void emitLibraryText(const Options &options, const Input &input) {
  writeText(options.output, lower::libraryText(plan(options, input), true));
}
void emitObject(const Options &options, const Input &input) {
  build(options, input, lower::LibraryForm::Object);
}
void emitLibrary(const Options &options, const Input &input) {
  build(options, input, lower::LibraryForm::Shared);
}
void emitHeader(const Options &options, const Input &input) {
  writeText(options.output, lower::libraryHeader(plan(options, input)));
}
void emitManifest(const Options &options, const Input &input) {
  writeText(options.output, lower::libraryManifest(plan(options, input)));
}

} // namespace facet::driver
