// run_command.cpp - facet run and facet plan: an experiment file, or the same things as options.
#include "runtime/cli/command/commands.h"
#include "runtime/cli/input/sanity.h"
#include "runtime/cli/run/job.h"
#include "runtime/cli/run/progress.h"
#include "runtime/cli/run/run_options.h"
#include <facet/runtime/error.h>
#include <filesystem>
#include <fmt/format.h>

namespace facet::cli {
namespace {

using namespace facet::runtime;

std::unique_ptr<Job> jobOf(const Experiment &e, const HowToRun &how) {
  return e.isScene() ? sceneJob(e, how, world()) : gridJob(e, how, world());
}

void runCommand(const RunOptions &o, bool timings, HowToRun how) {
  if (timings || std::getenv("FACET_TRACE") != nullptr)
    printStages();
  how.schedules = o.schedules;
  Experiment e = experimentOf(o, "facet run");
  if (e.isScene() && !how.timeline.empty())
    throw Error("--timeline", "is of one particle on one grid: this experiment has more than these",
                "leave out --timeline");
  if (e.picture.empty())
    e.picture = std::filesystem::path(e.output).replace_extension(".png");
  if (world().rank() == 0) {
    checkOutputs(e, how.schedules, how.timeline);
    warnOfBeam(e);
  }
  if (!e.isScene() && runSweep(e, how, world()))
    return;
  runJob(*jobOf(e, how));
}

struct Ranks {
  int most = 0;        // predict up to so many; 0: not requested
  std::string picture; // PNG, SVG or PDF; "": none
};

/// What more ranks would give: the table, where it ends, and a picture of it.
void reportScaling(const Outlook &look, const Ranks &asked) {
  constexpr int most = 1000000;
  if (asked.most < 1 || asked.most > most)
    throw Error(fmt::format("--ranks {}", asked.most), "is no number of ranks",
                fmt::format("give 1 to {}", most));
  const Cluster cluster;
  const ScalingCosts &costs = look.costs;
  const std::vector<ScalingPoint> curve = scalingCurve(costs, cluster, asked.most);
  const ScalingEnd end = scalingEnd(costs, cluster, asked.most);
  fmt::print(
      "\n{} unit{} of {:.3g} s on ranks of {} thread{}; links, disks and starts are assumed, "
      "as of a common cluster (docs/scaling.md)\n{}",
      costs.units, costs.units == 1 ? "" : "s", costs.unitSeconds, look.threads,
      look.threads == 1 ? "" : "s", scalingTable(curve));
  fmt::print("scaling    efficiency 50% or more to {}\n",
             end.ranks == asked.most ? fmt::format("all {} ranks", end.ranks)
                                     : fmt::format("{} ranks; limit: {}", end.ranks, end.why));
  if (asked.picture.empty())
    return;
  writeScaling(curve, end, {}, look.title, asked.picture);
  fmt::print("picture    {}\n", asked.picture);
}

void planCommand(const RunOptions &o, const Ranks &asked) {
  const Experiment e = experimentOf(o, "facet plan");
  keepApart(inputsOf(e, o.schedules), {{"the picture", asked.picture}});
  warnOfBeam(e);
  HowToRun how;
  how.schedules = o.schedules;
  const std::unique_ptr<Job> job = jobOf(e, how);
  job->prepare();
  const Outlook look = job->outlook();
  report(look, e.accuracy);
  if (asked.most != 0 || !asked.picture.empty())
    reportScaling(look, asked);
}

} // namespace

void addRunCommand(Command app) {
  Command c = app.command("run", "compute F on a grid of q: an HDF5 file and a picture");
  const auto o = addProblemOptions(c);
  c.option("-o,--output", o->output, "HDF5 file");
  c.option("--picture", o->picture, "PNG, SVG or PDF file, or none (beside the output)");
  const auto timings = std::make_shared<bool>(false);
  c.flag("--timings", *timings, "print the time each stage is reached");
  const auto how = std::make_shared<HowToRun>();
  c.option("--timeline", how->timeline, "PNG, SVG or PDF of what the streams of a device did when");
  c.option("--cut", how->cut,
           "hx,hy,hz,ht: q of a unit along each axis, records of a block; of an experiment "
           "R,H,P: rows of a unit (of a curve: of |q|), records, poses of a unit; 0: the default");
  c.flag("--resume", how->resume, "go on with a run that was stopped");
  c.flag("--overwrite", how->overwrite, "discard what a stopped run had finished");
  c.flag("--compress", how->compress, "compress the file when it is finished");
  c.run([o, timings, how] { runCommand(*o, *timings, *how); });
}

void addPlanCommand(Command app) {
  Command c = app.command("plan", "say what a run would do, why, how long; compute nothing");
  const auto o = addProblemOptions(c);
  const auto asked = std::make_shared<Ranks>();
  const Option ranks = c.option("--ranks", asked->most, "what 1 to so many ranks would give");
  c.option("--scaling", asked->picture, "PNG, SVG or PDF file of it").needs(ranks);
  c.run([o, asked] { planCommand(*o, *asked); });
}

} // namespace facet::cli
