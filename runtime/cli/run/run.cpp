// run.cpp - one run: mesh, grid, kernel, plan, execute, measure, write.
#include "runtime/cli/run/run.h"
#include "runtime/cli/run/carry_out.h"
#include "runtime/cli/timings.h"
#include <cstdio>
#include <facet/runtime/output.h>
#include <filesystem>
#include <fmt/format.h>
#include <unistd.h>

namespace facet::cli {
namespace {

using namespace facet::runtime;
namespace fs = std::filesystem;

void warn(const std::string &text) { fmt::print(stderr, "facet: warning: {}\n", text); }

// What a mesh that is no closed surface means for form factors.
void warnOfMesh(const Kernel &kernel, const Mesh &mesh, std::int64_t dropped) {
  if (dropped > 0)
    warn(fmt::format("{}: {} triangle{} without area skipped", mesh.name, dropped,
                     dropped == 1 ? "" : "s"));
  if (kernel->triangle == 0)
    return;
  const MeshReport found = inspect(mesh);
  if (!found.closed)
    warn(fmt::format("{}: the mesh is open{}: a volume form factor has no meaning for it, and near "
                     "q = 0 it grows as 1/q\n  help: close the mesh; see facet mesh inspect",
                     mesh.name,
                     found.openEdges > 0 ? fmt::format(" ({} open edges)", found.openEdges) : ""));
  else if (!found.oriented)
    warn(fmt::format(
        "{}: some triangles face the other way ({} edges): their contributions have the "
        "wrong sign\n  help: orient all triangles outward; see facet mesh inspect",
        mesh.name, found.flippedEdges));
  else if (found.volume < 0)
    warn(fmt::format(
        "{}: the mesh is inside out (volume {:.4g} nm^3): F has the wrong sign; |F|^2 is "
        "right\n  help: turn the triangles round",
        mesh.name, found.volume));
}

// Before anything is computed: an output that cannot be written is found at once.
void checkWritable(const std::string &file) {
  const fs::path folder = fs::absolute(file).parent_path();
  if (!fs::is_directory(folder))
    throw Error(file, fmt::format("there is no folder {}", folder.string()),
                "make it first, or write "
                "somewhere else");
  const std::string trial = (folder / fmt::format(".facet-{}", getpid())).string();
  std::FILE *out = std::fopen(trial.c_str(), "w");
  if (out == nullptr)
    throw Error(file, fmt::format("the folder {} cannot be written", folder.string()),
                "write somewhere else with -o FILE");
  std::fclose(out);
  std::remove(trial.c_str());
}

void askForTimeline(Plan &plan, const std::string &file) {
  if (plan.device().empty())
    throw Error("--timeline " + file, fmt::format("{} runs on no device", name(plan.choice())),
                "add --target=cuda or opencl, and --algorithm=direct or separable");
  plan.recordDevice();
}

/// Says what is to be seen in it.
std::string drawTimeline(const Plan &plan, const std::string &file) {
  const Timeline timeline = plan.timeline();
  writeTimeline(timeline,
                fmt::format("{} ({}), {}", plan.kernel()->name, name(plan.choice()), plan.device()),
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
  const Result before = readHdf5(path);
  const auto found = before.provenance.find("problem");
  if (found != before.provenance.end() && found->second == problem)
    return true;
  throw Error(path, "holds the finished result of another problem (kernel, mesh, grid or accuracy)",
              "leave out --resume to overwrite it, or write somewhere else with -o FILE");
}

Output describe(const Experiment &e, const RunResult &r, const Plan &plan, const Grid &grid,
                const Mesh &mesh) {
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
                    {"kernel_manifest", plan.kernel()->manifest},
                    {"mesh", mesh.name},
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
                 {"repaired_q", static_cast<double>(r.repaired)},
                 {"nodes", r.choice.nodes ? 1 : 0}};
  if (r.choice.algorithm == FACET_NUFFT)
    out.numbers["transform_tolerance"] = r.choice.tolerance;
  return out;
}

} // namespace

RunResult run(const Experiment &asked, const HowToRun &how) {
  Experiment e = asked;
  RunResult result;
  if (e.picture.empty())
    e.picture = fs::path(e.output).replace_extension(".png");
  checkWritable(e.output);
  if (e.picture != "none")
    checkWritable(e.picture);
  const std::string &timeline = how.timeline;
  if (!timeline.empty()) {
    checkWritable(timeline);
    checkTimeline(timeline);
  }

  std::int64_t dropped = 0;
  const auto whole = std::make_shared<const Mesh>(makeMesh(e, &dropped));
  const Mesh &mesh = *whole;
  stage("mesh read");
  const Grid grid = makeGrid(e);
  check(grid);
  const Kernel kernel = kernelFor(e, grid, how.schedules, result);
  stage("kernel loaded");
  const PlanOptions options = planOptions(e, kernel);
  const std::vector<double> &params = options.params;
  const std::string problem = problemOf(kernel, grid, mesh, params, e.accuracy);
  if (how.resume && finishedBefore(e.output, problem)) {
    result.finishedBefore = true;
    result.data = e.output;
    return result;
  }
  Plan plan(kernel, grid, mesh, options);
  warnOfMesh(kernel, mesh, dropped);
  if (!timeline.empty())
    askForTimeline(plan, timeline);
  stage("computing starts");

  Carried carried = carryOut(plan, e, grid, whole, params, how, result);
  result.measured = carried.measured;
  stage("computed and measured");

  result.kernelName = kernel->name;
  result.target = plan.variant().target;
  result.klass = className(plan.klass());
  result.choice = plan.choice();
  result.reason = plan.reason();
  result.schedule = scheduleText(plan);
  result.device = plan.device();
  result.repaired = plan.repaired();
  result.totals = plan.totals();
  result.kind = fmt::format("{} grid{}", gridName(plan.choice().grid),
                            plan.variant().q == FACET_COMPLEX_Q ? ", complex q" : "");
  result.threads = plan.threads();
  result.seconds = plan.seconds();
  result.tqp = plan.tqp();
  result.data = e.output;
  Output out = describe(e, result, plan, grid, mesh);
  out.provenance["problem"] = problem;
  carried.result->finalise({out.provenance, out.numbers, out.experiment}, how.compress);
  stage("data written");
  if (e.picture != "none") {
    PictureOptions picture;
    picture.log = e.scale == "log";
    picture.decades = e.decades;
    picture.quantity = e.quantity;
    writePicture(out, e.picture, picture);
    result.picture = e.picture;
    stage("picture written");
  }
  if (!timeline.empty()) {
    result.timeline = drawTimeline(plan, timeline);
    stage("timeline written");
  }
  return result;
}

} // namespace facet::cli
