// stage_commands.cpp - facet check, explain, show and build, which run the compiler facetc.
#include "runtime/app/cli/command/commands.h"
#include "runtime/app/cli/command/facetc_words.h"
#include "runtime/app/cli/command/options.h"
#include "runtime/app/cli/command/probe_options.h"
#include "runtime/app/jobs/terminal.h"
#include "runtime/engine/kernel/inside.h"
#include "runtime/engine/kernel/schedule.h"
#include <facet/runtime/error.h>
#include <facet/runtime/kernel.h>
#include <filesystem>
#include <fmt/format.h>
#include <memory>

namespace facet::cli {
namespace {

using namespace facet::runtime;
namespace fs = std::filesystem;

struct StageOptions : StageRequest {
  std::string stage = "ir", after, output;
  bool fix = false, json = false; // of check; of show --at
};

std::vector<std::string> command(const StageOptions &asked, const std::string &emit) {
  std::vector<std::string> words = facetcWords(asked, emit);
  if (!asked.after.empty())
    words.push_back("--after=" + asked.after);
  if (!asked.output.empty()) {
    words.emplace_back("-o");
    words.push_back(asked.output);
  }
  return words;
}

/// Prints variants with tuned knobs, and how many have the defaults.
void printSchedules(const Kernel &kernel) {
  int defaults = 0;
  for (int i = 0; i < kernel->variant_count; ++i) {
    const facet_variant &v = kernel->variants[i];
    if (scheduleOf(kernel, v) == "defaults")
      ++defaults;
    else
      terminal::print("  {}, {}, {}, {}, {}: {}\n", algorithmName(v.algorithm), className(v.klass),
                      v.target, gridName(v.grid), qName(v.q), showSchedule(kernel, v));
  }
  terminal::print("  schedules: {} of {} variants have the defaults\n", defaults,
                  kernel->variant_count);
}

void addVariantOptions(Command command, StageOptions &asked) {
  command.option("--target", asked.target, "a target of facet machines, cuda or auto");
  command.option("--grid", asked.grid, "product or points");
  command.option("--q", asked.q, "real or complex");
  addSchedulesOption(command, asked.schedules);
}

/// Adds a command of one kernel.
Command add(Command app, StageOptions &asked, const std::string &name, const std::string &doc) {
  Command command = app.command(name, doc);
  command
      .option("kernel", asked.kernel,
              name == "check" ? "kernel file, of which every kernel is judged, or name"
                              : "kernel file (FILE:NAME where it holds several) or name")
      .required();
  return command;
}

void build(StageOptions &asked) {
  if (asked.output.empty())
    asked.output = fs::path(findKernel(splitKernel(asked.kernel).first)).stem().string() + ".so";
  runFacetc(command(asked, "library"), true);
  const Kernel kernel = Kernel::load(asked.output);
  terminal::print("{}: kernel {}, {} variants, targets {}\n", asked.output, kernel->name,
                  kernel->variant_count, fmt::join(kernel.compiledTargets(), ", "));
  for (const auto &[algorithm, reason] :
       {std::pair{"separable", kernel->no_separable}, {"nufft", kernel->no_nufft}})
    if (reason != nullptr)
      terminal::print("  not {}: {}\n", algorithm, reason);
  printSchedules(kernel);
}

} // namespace

void addCheckCommand(Command app) {
  const auto asked = std::make_shared<StageOptions>();
  Command c = add(app, *asked, "check", "say whether a kernel file is good, and if not why");
  c.flag("--fix", asked->fix, "mend what has one obvious remedy, in the file, and say what");
  c.flag("--json", asked->json, "what is said as JSON, for editors");
  c.run([asked] {
    std::vector<std::string> words = command(*asked, "check");
    if (asked->fix)
      words.emplace_back("--fix");
    if (asked->json)
      words.emplace_back("--json");
    runFacetc(words, !asked->json);
    if (!asked->json)
      terminal::print("{}: good\n", asked->kernel);
  });
}

void addExplainCommand(Command app) {
  const auto asked = std::make_shared<StageOptions>();
  add(app, *asked, "explain",
      "say which algorithms a kernel allows, by which formulas, and what they cost")
      .run([asked] { runFacetc(command(*asked, "explain"), false); });
}

namespace {

void show(StageOptions asked, const ProbeOptions &probe) {
  if (probe.at.empty()) {
    if (probe.given() || asked.json)
      throw Error("facet show", "a mesh, a record, parameters and --json are with --at",
                  "say at which q: --at q=0,1,0.5");
    return runFacetc(command(asked, asked.stage), false);
  }
  if (asked.stage != "ir" && asked.stage != "placement")
    throw Error("facet show --at", "numbers are of the stages ir and placement, not " + asked.stage,
                "leave out --stage, or --at");
  const ProbeFile file(probe, "facet show --at", asked.q);
  std::vector<std::string> words = command(asked, asked.stage);
  words.push_back("--at=" + file.path);
  if (asked.json)
    words.emplace_back("--json");
  runFacetc(words, false);
}

} // namespace

void addShowCommand(Command app) {
  const auto asked = std::make_shared<StageOptions>();
  const auto probe = std::make_shared<ProbeOptions>();
  Command c = add(app, *asked, "show", "print a stage of a kernel on its way to machine code");
  c.option("--stage", asked->stage, "ir, placement, stmt, llvm, asm, cpp or manifest");
  c.option("--after", asked->after, "with ir: after this pass ('all': after every pass)");
  c.option("--class", asked->klass, "f32, f32-careful or f64");
  c.option("--algorithm", asked->algorithm, "direct, separable or nufft");
  addProbeOptions(c, *probe,
                  "with ir and placement: each value's number at this q, nm^-1: q=0,1,0.5+0.01i");
  c.flag("--json", asked->json, "the numbers as JSON");
  addVariantOptions(c, *asked);
  c.run([asked, probe] { show(*asked, *probe); });
}

void addBuildCommand(Command app) {
  const auto asked = std::make_shared<StageOptions>();
  Command c = add(app, *asked, "build", "compile a kernel library (every variant, all targets)");
  c.option("-o,--output", asked->output, "library to write (NAME.so)");
  c.option("--algorithms", asked->algorithm,
           "list of direct, separable, nufft (default: all that the kernel allows)");
  addVariantOptions(c, *asked);
  c.run([asked] { build(*asked); });
}

} // namespace facet::cli
