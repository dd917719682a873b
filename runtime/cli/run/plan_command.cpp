// plan_command.cpp - facet plan: what a run would do, why, how long, and the other ways; no run.
#include "runtime/cli/commands.h"
#include "runtime/cli/input/sanity.h"
#include "runtime/cli/run/run.h"
#include "runtime/cli/run/run_options.h"
#include "runtime/cli/run/scaling_report.h"
#include "runtime/cli/scene/plan.h"
#include "runtime/files/clock.h"
#include "runtime/plan/inside.h"
#include <facet/runtime/error.h>
#include <fmt/format.h>

namespace facet::cli {
namespace {

using namespace facet::runtime;

void planCommand(const RunOptions &o, const ScalingAsked &asked) {
  const Stopwatch all;
  const Experiment e = experimentOf(o, "facet plan");
  keepApart(inputsOf(e, o.schedules), {{"the picture", asked.picture}});
  if (e.isScene()) {
    planScene(e, o.schedules, asked);
    return;
  }
  const Particle &particle = e.particles[0];
  checkMeshFile(particle);
  const Grid grid = makeGrid(e);
  check(grid);
  RunResult files;
  const Kernel kernel = kernelFor(e, grid, o.schedules, files);
  const ColumnRoles roles = rolesFor(particle, kernel);
  const Stopwatch reading;
  const double memory = e.memory.empty() ? 0 : parseBytes(e.memory);
  const MeshInput input =
      needsBlocks(particle, memory)
          ? inBlocks(particle, memory, roles)
          : inMemory(std::make_shared<const Mesh>(makeMesh(particle, nullptr, roles)), 0);
  const Mesh &mesh = *input.mesh;
  const double read = reading.seconds();
  PlanOptions options = planOptions(e, kernel);
  options.whole = input.whole;
  options.memory = memoryForPlan(input, options.memory);
  options.units = true;
  const Plan plan(kernel, grid, mesh, options);
  const double started = all.seconds() - read;
  const Choice &taken = plan.choice();
  const Explained &explained = plan.explain();
  warnOfColumns(kernel, particle.columns);
  const std::string sizes = sizesOf(input, grid);
  fmt::print("kernel     {} ({})\n", kernel->name, files.kernelPath);
  if (!sizes.empty())
    fmt::print("sizes      {}\n", sizes);
  fmt::print("work       {} records, {} q: {:.2e} triangle-q-points\n", input.size(), grid.size(),
             explained.tqp);
  fmt::print("would run  {}, {}, {} thread{}\n", name(taken), variantOf(plan).target,
             explained.threads, explained.threads == 1 ? "" : "s");
  if (const std::string &device = explained.device; !device.empty())
    fmt::print("device     {}\n", device);
  fmt::print("why        {}\n", explained.reason);
  if (const std::string schedule = scheduleText(plan); !schedule.empty())
    fmt::print("schedule   {}\n", schedule);
  fmt::print("units      {}\n", unitsText(plan, grid));
  fmt::print("time       {} on {} thread{}\n", showSeconds(taken.seconds), explained.threads,
             explained.threads == 1 ? "" : "s");
  fmt::print("memory     {} of {}\n", showBytes(taken.bytes), explained.memory);
  fmt::print("error      {:.1e} of max|F| expected, {:.0e} asked for\n", taken.error, e.accuracy);
  reportRule(ruleError(kernel, input.blocks, input.block, options.params, grid, options.seed,
                       explained.threads));
  if (taken.repaired > 0)
    fmt::print("repair     about {} q by direct sums in f64\n", taken.repaired);
  reportChoices(explained.choices, taken, e.accuracy);
  if (asked.ranks != 0 || !asked.picture.empty())
    reportScaling(plan, grid, input, options.params, started, read, asked);
}

} // namespace

void addPlanCommand(Command app) {
  Command c = app.command("plan", "say what a run would do, why, how long; compute nothing");
  const auto o = addProblemOptions(c);
  const auto asked = std::make_shared<ScalingAsked>();
  const Option ranks = c.option("--ranks", asked->ranks, "what 1 to so many ranks would give");
  c.option("--scaling", asked->picture, "PNG, SVG or PDF file of it").needs(ranks);
  c.run([o, asked] { planCommand(*o, *asked); });
}

} // namespace facet::cli
