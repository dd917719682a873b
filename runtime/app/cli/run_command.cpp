// run_command.cpp - facet run and facet plan: an experiment file, or the same things as options,
// which replace what a file says.
#include "runtime/app/cli/command/commands.h"
#include "runtime/app/cli/command/options.h"
#include "runtime/app/cli/command/particle_options.h"
#include "runtime/app/jobs/job.h"
#include "runtime/app/jobs/last_word.h"
#include "runtime/app/jobs/share.h"
#include "runtime/engine/kernel/inside.h"
#include "runtime/engine/system/machine.h"
#include "runtime/engine/system/text.h"
#include <algorithm>
#include <facet/runtime/error.h>
#include <facet/runtime/kernel.h>
#include <filesystem>
#include <fmt/format.h>
#include <limits>

namespace facet::cli {
namespace {

using namespace facet::runtime;

// The experiment
// ---------------------------------------------------------------------------
struct RunOptions : ParticleOptions {
  std::string file, kernel, points, algorithm, memory, klass, target, output, picture, schedules,
      array;
  std::array<std::string, 3> axes;
  double accuracy = 0;
  std::string quantiles, over, weights;
  bool total = false;
  int threads = -1;
  std::int64_t seed = -1, noise = -1;
  bool haveAxes() const { return !(axes[0] + axes[1] + axes[2]).empty(); }
};

/// An option given replaces what the file says.
void replace(std::string &to, const std::string &with) {
  if (!with.empty())
    to = with;
}

/// Throws Error for the first option given that is not for what is to be computed.
void refuseGiven(const std::vector<std::pair<std::string, bool>> &options, const std::string &why,
                 const std::string &help) {
  for (const auto &[option, given] : options)
    if (given)
      throw Error(option, why, help);
}

void applyGrid(const RunOptions &o, const std::string &command, bool isFile, Experiment &e) {
  if (!o.points.empty() && o.haveAxes())
    throw Error(command, "a grid has axes or points, not both", "leave out --points or --qx, ...");
  if (!o.points.empty()) {
    e.points = o.points;
    e.axes = {};
  } else if (o.haveAxes()) {
    e.points.clear();
  } else if (!isFile) {
    throw Error(command, "no grid", "--qy -2:2:200 --qz 0:2:200, or --points FILE");
  }
  for (std::size_t k = 0; k < 3; ++k)
    replace(e.axes[k], axisIn("nm^-1", o.axes[k]));
}

/// Sets which quantiles and totals are to be made of F.
void applyReductions(const RunOptions &o, Experiment &e) {
  e.total = e.total || o.total;
  replace(e.over, o.over);
  replace(e.weights, o.weights);
  refuseGiven(
      {{"--over", !e.total && !o.over.empty()}, {"--weights", !e.total && !o.weights.empty()}},
      "is of a total, and there is none", "add --total");
  if (o.quantiles.empty())
    return;
  const std::string where = "--quantiles " + o.quantiles;
  constexpr const char *help = "e.g. --quantiles 0.01,0.05";
  Words words;
  splitWords(o.quantiles, words, ",");
  e.quantiles.clear();
  for (const std::string_view word : words)
    if (double p = 0; !parseNumber(word, p) || !(p >= 0 && p <= 1))
      throw Error(where, fmt::format("'{}' is no probability, 0 to 1", word), help);
    else
      e.quantiles.push_back(p);
  if (words.empty())
    throw Error(where, "names no probability", help);
}

/// How F is to be computed, and where it is written.
void applyHow(const RunOptions &o, Experiment &e) {
  if (!(o.accuracy >= 0))
    throw Error("--accuracy", "is to be above 0", "e.g. --accuracy 1e-5");
  if (o.accuracy > 0)
    e.accuracy = o.accuracy;
  replace(e.algorithm, o.algorithm);
  replace(e.memory, o.memory);
  replace(e.klass, o.klass);
  replace(e.target, o.target);
  if (o.threads >= 0)
    e.threads = o.threads;
  checkThreads(e.threads);
  if (o.seed >= 0)
    e.seed = static_cast<std::uint64_t>(o.seed);
  refuseGiven({{"--noise", o.noise >= 0 && !(e.flux > 0)}}, noiseWithoutFlux, fluxForNoise);
  if (o.noise >= 0)
    e.noise = static_cast<std::uint64_t>(o.noise);
  replace(e.output, o.output);
  if (!o.output.empty() && o.picture.empty() && e.picture != "none")
    e.picture.clear(); // beside the output
  replace(e.picture, o.picture);
}

/// --param takes all words that follow it: one without '=' is the file, if no other is named.
RunOptions withFile(RunOptions o) {
  const auto word = std::ranges::find_if(
      o.params, [](const std::string &text) { return text.find('=') == std::string::npos; });
  if (!o.file.empty() || word == o.params.end())
    return o;
  o.file = *word;
  o.params.erase(word);
  return o;
}

/// The experiment of the file, with what the options replace. `command`: for messages. Throws
/// Error.
Experiment experimentOf(const RunOptions &given, const std::string &command) {
  const RunOptions o = withFile(given);
  Experiment e;
  const bool isFile = std::filesystem::path(o.file).extension() == ".toml";
  if (isFile)
    e = readExperiment(o.file);
  else
    e.kernel = o.file;
  if (e.isScene())
    refuseGiven({{"--mesh", !o.mesh.empty()},
                 {"--shape", !o.shape.empty()},
                 {"--unit", !o.unit.empty()},
                 {"--column", !o.columns.empty()},
                 {"--euler", !o.euler.empty()},
                 {"--points", !o.points.empty()},
                 {"--qx", !o.axes[0].empty()},
                 {"--qy", !o.axes[1].empty()},
                 {"--qz", !o.axes[2].empty()}},
                "replaces one particle or grid: this file has more than these", "change " + o.file);
  replace(e.kernel, o.kernel);
  if (e.kernel.empty())
    throw Error(command, "nothing to run", "give an experiment file (.toml) or a kernel");
  const std::string stem = std::filesystem::path(splitKernel(e.kernel).first).stem();
  if (!isFile) {
    e.title = stem;
    e.output = stem + ".h5";
  }
  applyParticle(o, command, e.particles[0]);
  applyGrid(o, command, isFile, e);
  applyParameters(o, e.parameters);
  applyReductions(o, e);
  applyHow(o, e);
  return e;
}

/// What to compute: kernel, particle, grid, accuracy, how.
std::shared_ptr<RunOptions> addProblemOptions(Command c) {
  const auto o = std::make_shared<RunOptions>();
  c.option("file", o->file, "experiment (.toml), or a kernel's file or name");
  c.option("--kernel", o->kernel,
           "kernel file (.cpp, .fir, .so; FILE:NAME where it holds several) or name");
  addMeshOptions(c, *o);
  c.option("--qx", o->axes[0], "axis, nm^-1: 0.1, -2:2:500, 'log 0.01:5:200', 0:2:200+0.01i");
  c.option("--qy", o->axes[1], "axis");
  c.option("--qz", o->axes[2], "axis");
  c.option("--points", o->points,
           "a file of points instead: qx qy qz, then qx_im qy_im qz_im of complex ones");
  addParameterOption(c, *o);
  c.option("--accuracy", o->accuracy, "error allowed, relative to max|F|, 1e-2 to 1e-12 (1e-5)");
  c.option("--algorithm", o->algorithm, "auto, direct, separable or nufft (auto)");
  c.option("--memory", o->memory, "allowed: 8GB (most of what is free)");
  c.option("--class", o->klass, "f32, f32-careful or f64 (by accuracy)");
  c.option("--target", o->target,
           "a target of facet machines, cuda, opencl, auto or any (the best of this CPU)");
  c.option("--threads", o->threads, "0: all").range(0, std::numeric_limits<int>::max());
  addSchedulesOption(c, o->schedules);
  c.option("--seed", o->seed, "of the error sample (1)")
      .range(0, std::numeric_limits<std::int64_t>::max());
  return o;
}

// Commands
// ---------------------------------------------------------------------------
/// From now on the run is of a share of its units.
void takeShare(const std::string &array, Experiment &e, JobOptions &how) {
  refuseGiven({{"--gradient-of", !how.gradientOf.empty()},
               {"--timeline", !how.timeline.empty()},
               {"--compress", how.run.compress}},
              "is of a whole result, and --array computes a share of one",
              "leave it out (facet merge has --compress)");
  how.run.share = shareFrom(array);
  how.output = std::exchange(e.output, shareOf(e.output, how.run.share));
  how.picture = std::exchange(e.picture, "none");
}

void runCommand(const RunOptions &o, bool timings, JobOptions how, const Host &host) {
  Communicator &ranks = host.ranks;
  if (timings || std::getenv("FACET_TRACE") != nullptr)
    host.listener.showStages();
  how.listener = &host.listener;
  how.schedules = o.schedules;
  Experiment e = experimentOf(o, "facet run");
  const bool scene = e.isScene();
  refuseGiven({{"--timeline", scene && !how.timeline.empty()},
               {"--quantiles", scene && !e.quantiles.empty()},
               {"--total", scene && e.total}},
              "is of one particle on one grid: this experiment has more than these",
              "leave it out");
  refuseGiven({{"--gradient-keys", !how.gradientKeys.empty() && how.gradientOf.empty()}},
              "are of what --gradient-of compares", "add --gradient-of OBSERVED.h5");
  refuseGiven({{"--gradient-keys", !how.gradientKeys.empty() && !scene}},
              "are numbers of an experiment, and this is one particle on one grid",
              "leave them out");
  if (e.picture.empty())
    e.picture = std::filesystem::path(e.output).replace_extension(".png");
  if (!o.array.empty())
    takeShare(o.array, e, how);
  std::optional<LastWord> word;
  if (host.kills) {
    word.emplace(ranks, e.output);
    how.run.patience = 0;
  }
  if (ranks.rank() == 0) {
    checkOutputs(e, how.schedules, how.timeline, how.gradientOf);
    host.listener.warn(remarksOn(e));
  }
  jobOf(e, how, ranks)->run();
}

void planCommand(const RunOptions &o, const Host &host) {
  const Experiment e = experimentOf(o, "facet plan");
  host.listener.warn(remarksOn(e));
  JobOptions how;
  how.schedules = o.schedules;
  how.listener = &host.listener;
  jobOf(e, how, host.ranks)->plan();
}

} // namespace

void addRunCommand(Command app, const Host &host) {
  Command c = app.command("run", "compute F on a grid of q: an HDF5 file and a picture");
  const auto o = addProblemOptions(c);
  c.option("-o,--output", o->output, "HDF5 file");
  c.option("--noise", o->noise, "a seed: counts too, I with the noise of counting (Poisson)")
      .range(0, std::numeric_limits<std::int64_t>::max());
  c.option("--picture", o->picture, "PNG, SVG or PDF file, or none (beside the output)");
  c.option("--quantiles", o->quantiles,
           "of real F over the grid, at these probabilities: 0.01,0.05");
  c.flag("--total", o->total, "the sum of F over the grid");
  c.option("--over", o->over, "of the total: the axes it is summed over, qy,qz (all)");
  c.option("--weights", o->weights, "of the total: an HDF5 file with a factor for each q");
  const auto how = std::make_shared<JobOptions>();
  c.option("--gradient-of", how->gradientOf,
           "a result with observed intensities: how the misfit to them changes with vertices");
  c.option("--gradient-keys", how->gradientKeys,
           "and with numbers of the experiment: particle.density,sample.layers.1.thickness")
      .commas();
  const auto timings = std::make_shared<bool>(false);
  c.flag("--timings", *timings, "print the time each stage is reached");
  c.option("--timeline", how->timeline, "PNG, SVG or PDF of what the streams of a device did when");
  c.option("--cut", how->cut,
           "hx,hy,hz,ht: q of a unit along each axis, records of a block; of an experiment "
           "R,H,P: rows of a unit (of a curve: of |q|), records, poses of a unit; 0: the default");
  c.option("--array", o->array,
           "i/n: share i of n of the units, into FILE.i-of-n.h5, for facet merge; auto: as the job "
           "array of Slurm, LSF or Grid Engine says");
  c.flag("--resume", how->run.resume, "go on with a run that was stopped");
  c.flag("--overwrite", how->run.overwrite, "discard what a stopped run had finished");
  c.flag("--compress", how->run.compress, "compress the file when it is finished");
  c.run([o, timings, how, host] { runCommand(*o, *timings, *how, host); });
}

void addPlanCommand(Command app, const Host &host) {
  Command c = app.command("plan", "say what a run would do, why, how long; compute nothing");
  const auto o = addProblemOptions(c);
  c.run([o, host] { planCommand(*o, host); });
}

} // namespace facet::cli
