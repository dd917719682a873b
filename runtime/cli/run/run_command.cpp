// run_command.cpp - facet run: an experiment file, or the same things as options.
#include "runtime/blocks/mpi/communicator.h"
#include "runtime/cli/commands.h"
#include "runtime/cli/run/run.h"
#include "runtime/cli/run/run_options.h"
#include "runtime/cli/scene/run.h"
#include "runtime/cli/timings.h"
#include <facet/runtime/error.h>
#include <fmt/format.h>

namespace facet::cli {
namespace {

using namespace facet::runtime;

void runCommand(const RunOptions &o, bool timings, HowToRun how) {
  if (timings || std::getenv("FACET_TRACE") != nullptr)
    printStages();
  how.schedules = o.schedules;
  const Experiment e = experimentOf(o, "facet run");
  if (e.isScene()) {
    runScene(e, how);
    return;
  }
  const RunResult result = run(e, how);
  if (world().rank() != 0)
    return;
  if (result.finishedBefore) {
    fmt::print("{}: finished already\n", result.data);
    if (!result.picture.empty())
      fmt::print("picture    {}\n", result.picture);
    return;
  }
  report(result);
  if (!result.measured.met)
    throw Error(result.data,
                fmt::format("the accuracy asked for was missed: {:.1e} of max|F|, {:.0e} asked; "
                            "the file is kept",
                            result.measured.error, result.measured.contract),
                "ask for less (--accuracy), or leave out --class and --algorithm; where direct f64 "
                "misses, the kernel library and its source disagree",
                Exit::ContractMissed);
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
           "with images R,H,P: rows of a unit, records, poses of a unit; 0: the default");
  c.flag("--resume", how->resume, "go on with a run that was stopped");
  c.flag("--overwrite", how->overwrite, "discard what a stopped run had finished");
  c.flag("--compress", how->compress, "compress the file when it is finished");
  c.run([o, timings, how] { runCommand(*o, *timings, *how); });
}

} // namespace facet::cli
