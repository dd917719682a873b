// run.cpp - one run: mesh, grid, kernel, plan, execute, measure, write.
#include "runtime/cli/run/run.h"
#include "runtime/blocks/mpi/inputs.h"
#include "runtime/cli/input/sanity.h"
#include "runtime/cli/run/carry_out.h"
#include "runtime/cli/run/sweep.h"
#include "runtime/cli/timings.h"
#include "runtime/output/tiled/identity.h"
#include "runtime/plan/inside.h"
#include "runtime/planner/machine.h"
#include <cstdio>
#include <facet/runtime/output.h>
#include <filesystem>
#include <fmt/format.h>
#include <unistd.h>

namespace facet::cli {
namespace {

using namespace facet::runtime;
namespace fs = std::filesystem;

void askForTimeline(Plan &plan, const std::string &file) {
  if (plan.explain().device.empty())
    throw Error("--timeline " + file, fmt::format("{} runs on no device", name(plan.choice())),
                "add --target=cuda or opencl, and --algorithm=direct or separable");
  recordDevice(plan);
}

/// Says what is to be seen in it.
std::string drawTimeline(const Plan &plan, const std::string &file) {
  const Timeline timeline = timelineOf(plan);
  writeTimeline(
      timeline,
      fmt::format("{} ({}), {}", kernelOf(plan)->name, name(plan.choice()), plan.last().device),
      file);
  const Overlap found = overlapOf(timeline);
  return fmt::format("{}: {} calls, at most {} at once, several streams {:.0f}% of the time; "
                     "the parts add up to {:.2f} times as long",
                     file, timeline.calls.size(), found.most, 100 * found.several, found.gain());
}

/// Whether a finished result lies there, to be resumed. Throws Error where it is of another
/// problem.
bool finishedBefore(const std::string &path, const std::string &problem) {
  if (findResult(path).state != FoundResult::State::Finished)
    return false;
  const auto before = readProvenance(path);
  const auto found = before.find("problem");
  if (found != before.end() && found->second == problem)
    return true;
  throw Error(path, "holds the finished result of another problem (kernel, mesh, grid or accuracy)",
              "leave out --resume to overwrite it, or write somewhere else with -o FILE");
}

/// F in memory, or read back from a result that was finished before its picture was drawn.
void draw(const Experiment &e, const Output *out, RunResult &result) {
  if (e.picture == "none")
    return;
  PictureOptions picture;
  picture.log = e.scale == "log";
  picture.decades = e.decades;
  picture.quantity = e.quantity;
  std::optional<Result> finished;
  if (out == nullptr)
    finished = readHdf5(e.output);
  result.picture = fmt::format(
      "{}",
      fmt::join(writePictures(finished ? finished->output() : *out, e.picture, picture), ", "));
  stage("picture written");
}

Output describe(const Experiment &e, const RunResult &r, const Plan &plan, const Grid &grid,
                const MeshInput &mesh) {
  Output out;
  out.grid = &grid;
  out.f = &plan.values();
  out.title = e.title;
  out.unit = e.fUnit;
  out.experiment = toToml(e);
  const Measured &m = r.measured;
  out.provenance = {{"program", "facet " FACET_VERSION},
                    {"kernel", r.kernelName},
                    {"kernel_file", r.kernelPath},
                    {"kernel_manifest", kernelOf(plan)->manifest},
                    {"mesh", mesh.mesh->name},
                    {"algorithm", algorithmName(r.choice.algorithm)},
                    {"algorithm_reason", r.reason},
                    {"record_sums", r.totals.empty() ? "none" : r.totals},
                    {"grid", r.kind},
                    {"units", r.units},
                    {"class", r.klass},
                    {"schedule", r.schedule.empty() ? "none" : r.schedule},
                    {"target", r.target},
                    {"device", r.device.empty() ? "none" : r.device},
                    {"contract_met", !m.met         ? "no"
                                     : m.verifiable ? "yes"
                                                    : "not verifiable in double"}};
  out.numbers = {{"measured_error", m.error},
                 {"measured_rms", m.rms},
                 {"reference_bound", m.bound},
                 {"contract", m.contract},
                 {"samples", m.samples},
                 {"seed", static_cast<double>(m.seed)},
                 {"triangles", static_cast<double>(mesh.size())},
                 {"seconds", r.seconds},
                 {"tqp_per_second", r.tqp / r.seconds},
                 {"threads", r.threads},
                 {"ranks", r.ranks},
                 {"repaired_q", static_cast<double>(r.repaired)},
                 {"nodes", r.choice.nodes ? 1 : 0}};
  addRule(r.rule, out.numbers);
  if (r.choice.algorithm == FACET_NUFFT)
    out.numbers["transform_tolerance"] = r.choice.tolerance;
  return out;
}

/// Rank 0's library; others wait until it is compiled.
Kernel kernelOf(Communicator &ranks, const Experiment &e, const Grid &grid,
                const std::string &schedules, RunResult &result) {
  if (ranks.size() == 1)
    return kernelFor(e, grid, schedules, result);
  std::optional<Kernel> kernel;
  std::string path;
  if (ranks.rank() == 0) {
    kernel = kernelFor(e, grid, schedules, result);
    path = kernel->path();
  }
  ranks.broadcast(path);
  return kernel ? *kernel : Kernel::load(path);
}

void fill(RunResult &result, const Plan &plan, const std::string &output) {
  result.kernelName = kernelOf(plan)->name;
  result.target = variantOf(plan).target;
  result.klass = className(plan.choice().klass);
  result.choice = plan.choice();
  result.reason = plan.explain().reason;
  result.schedule = scheduleText(plan);
  result.device = plan.last().device;
  result.repaired = plan.last().repaired;
  result.totals = plan.last().totals;
  result.kind = fmt::format("{} grid{}", gridName(plan.choice().grid),
                            variantOf(plan).q == FACET_COMPLEX_Q ? ", complex q" : "");
  result.threads = plan.explain().threads;
  result.seconds = plan.last().seconds;
  result.tqp = plan.explain().tqp * result.share;
  result.data = output;
}

RunResult runSweep(Plan &plan, const Experiment &e, const Sweep &sweep, const Grid &grid,
                   const MeshInput &mesh, RunResult result) {
  const Swept swept = carryOutSweep(plan, e, sweep, grid);
  stage("computed and measured");
  fill(result, plan, e.output);
  result.measured = swept.worst;
  result.units = fmt::format("{} values of {}, {:.6g} to {:.6g}", sweep.values.size(), sweep.name,
                             sweep.values.front(), sweep.values.back());
  result.seconds = swept.seconds;
  result.tqp = swept.tqp;
  result.repaired = swept.repaired;
  Output out = describe(e, result, plan, grid, mesh);
  out.f = &swept.f;
  out.sweep = &sweep;
  writeHdf5(out, e.output);
  stage("data written");
  draw(e, &out, result);
  return result;
}

} // namespace

RunResult run(const Experiment &asked, const HowToRun &how) {
  Communicator &ranks = world();
  const bool first = ranks.rank() == 0;
  Experiment e = asked;
  RunResult result;
  if (e.picture.empty())
    e.picture = fs::path(e.output).replace_extension(".png");
  if (first)
    checkOutputs(e, how);
  const std::optional<Sweep> sweep = sweepOf(e, how);

  Grid grid;
  if (first) {
    grid = makeGrid(e);
    check(grid);
    checkMeshFile(e.particles[0]);
  }
  broadcast(ranks, grid);
  std::string gridHash = first ? hashOf(grid) : std::string();
  ranks.broadcast(gridHash);
  const Kernel kernel = kernelOf(ranks, e, grid, how.schedules, result);
  stage("kernel loaded");
  const Particle &particle = e.particles[0];
  const MeshInput mesh = meshOf(ranks, particle, e.memory.empty() ? 0 : parseBytes(e.memory),
                                rolesFor(particle, kernel));
  stage("mesh read");
  PlanOptions options = planOptions(sweep ? at(e, *sweep, 0) : e, kernel);
  if (options.threads <= 0 && ranks.localSize() > 1)
    options.threads = std::max(1, usableThreads() / ranks.localSize());
  const std::vector<double> &params = options.params;
  const std::string problem =
      first ? problemOf(kernel, gridHash, mesh.hash, params, e.accuracy) : std::string();
  char done = first && how.resume && finishedBefore(e.output, problem) ? 1 : 0;
  ranks.broadcast(&done, 1);
  if (done != 0) {
    result.finishedBefore = true;
    result.data = e.output;
    if (first)
      draw(e, nullptr, result);
    return result;
  }
  const Problem whatToDo{kernel,        e, grid, gridHash, mesh, params, how, options.threads,
                         options.memory};
  if (!first) {
    carryOut(nullptr, whatToDo, result);
    return result;
  }
  options.whole = mesh.whole;
  options.memory = memoryForPlan(mesh, options.memory);
  options.units = !sweep;
  if (sweep && mesh.streamed)
    throw Error(particle.mesh, "does not fit the memory, and a sweep is not carried out in blocks",
                "allow more (--memory), or run each value by itself");
  Plan plan(kernel, grid, *mesh.mesh, options);
  warnOfMesh(kernel, mesh);
  warnOfColumns(kernel, particle.columns);
  result.sizes = sizesOf(mesh, grid);
  if (sweep)
    return runSweep(plan, e, *sweep, grid, mesh, result);
  if (!how.timeline.empty())
    askForTimeline(plan, how.timeline);
  stage("computing starts");

  Carried carried = carryOut(&plan, whatToDo, result);
  result.measured = carried.measured;
  result.rule = ruleError(kernel, mesh.blocks, mesh.block, params, grid, options.seed,
                          plan.explain().threads);
  stage("computed and measured");

  fill(result, plan, e.output);
  Output out = describe(e, result, plan, grid, mesh);
  out.provenance["problem"] = problem;
  carried.result->finalise({out.provenance, out.numbers, out.experiment}, how.compress);
  stage("data written");
  draw(e, &out, result);
  if (!how.timeline.empty()) {
    result.timeline = drawTimeline(plan, how.timeline);
    stage("timeline written");
  }
  return result;
}

} // namespace facet::cli
