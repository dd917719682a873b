// run.cpp - a run of a whole experiment: images of a scene, or a curve.
#include "runtime/cli/scene/run.h"
#include "runtime/blocks/mpi/communicator.h"
#include "runtime/cli/input/sanity.h"
#include "runtime/cli/run/run.h"
#include "runtime/cli/scene/carry_out.h"
#include "runtime/cli/timings.h"
#include "runtime/experiment/scene/curve.h"
#include "runtime/experiment/scene/output/pictures.h"
#include "runtime/planner/machine.h"
#include <cmath>
#include <facet/runtime/error.h>
#include <filesystem>
#include <fmt/format.h>

namespace facet::cli {
namespace {

using namespace facet::runtime;
namespace fs = std::filesystem;

void reportWork(const RunResult &used, const std::string &kernel, const Evaluations &v) {
  fmt::print("kernel     {} ({}), {}\n", kernel, used.kernelPath,
             used.compiled ? fmt::format("compiled in {:.1f} s", used.compileSeconds)
                           : "compiled before");
  fmt::print("algorithm  {}, {} thread{}\n", v.how, v.threads, v.threads == 1 ? "" : "s");
  fmt::print(
      "speed      {:.2e} TQP/s: {:.2e} triangle-q-points in {:.3f} s, {} evaluation{} of F\n",
      v.tqp / v.seconds, v.tqp, v.seconds, v.count, v.count == 1 ? "" : "s");
  if (!v.worst)
    return;
  fmt::print("error      {:.1e} of max|F|, {:.0e} asked for: {} (the worst of {} evaluations "
             "measured)\n",
             v.worst->error, v.worst->contract,
             !v.worst->met          ? "MISSED"
             : !v.worst->verifiable ? "not verifiable in double"
                                    : "met",
             v.measured);
}

nexus::Process processOf(const Experiment &e, const RunResult &used, const std::string &kernel,
                         const Evaluations &v) {
  nexus::Process process;
  process.experiment = toToml(e);
  process.provenance = {{"program", "facet " FACET_VERSION},
                        {"kernel", kernel},
                        {"kernel_file", used.kernelPath},
                        {"algorithm", v.how}};
  process.numbers = {{"seconds", v.seconds},
                     {"tqp_per_second", v.tqp / v.seconds},
                     {"threads", v.threads},
                     {"evaluations", static_cast<double>(v.count)},
                     {"evaluations_measured", static_cast<double>(v.measured)},
                     {"repaired_q", static_cast<double>(v.repaired)}};
  if (v.worst) {
    process.numbers["measured_error"] = v.worst->error;
    process.numbers["contract"] = v.worst->contract;
    process.provenance["contract_met"] = v.worst->met ? "yes" : "no";
  }
  return process;
}

void missed(const Experiment &e, const Evaluations &v) {
  if (v.worst && !v.worst->met)
    throw Error(e.output,
                fmt::format("the accuracy asked for was missed: {:.1e} of max|F|, {:.0e} asked; "
                            "the file is kept",
                            v.worst->error, v.worst->contract),
                "ask for less (--accuracy), or leave out --class and --algorithm",
                Exit::ContractMissed);
}

/// What is seen when all images are finished.
struct Seen {
  std::int64_t behind = 0;  // pixels
  double averageError = -1; // of the largest intensity; < 0: there is no average
};
Seen look(const SceneProblem &problem, const SceneFile &file, const TiledResult &result) {
  constexpr std::int64_t most = 1 << 18; // pixels at once
  Seen seen;
  double largest = 0, off = 0;
  std::vector<double> intensity, errors;
  for (std::size_t i = 0; i < problem.layout.images.size(); ++i) {
    const Pixels &pixels = problem.pixels(i);
    const std::int64_t step = std::max<std::int64_t>(1, most / pixels.columns());
    for (std::int64_t row = 0; row < pixels.rows(); row += step) {
      const std::int64_t end = std::min(row + step, pixels.rows());
      const auto n = static_cast<std::size_t>((end - row) * pixels.columns());
      intensity.resize(n);
      errors.resize(problem.layout.averaged ? n : 0);
      file.read(result, i, row, end, intensity.data(), errors.empty() ? nullptr : errors.data());
      for (std::size_t k = 0; k < n; ++k) {
        seen.behind += std::isnan(intensity[k]) ? 1 : 0;
        largest = std::max(largest, std::isnan(intensity[k]) ? 0 : intensity[k]);
        if (!errors.empty() && !std::isnan(errors[k]))
          off = std::max(off, errors[k]);
      }
    }
  }
  if (problem.layout.averaged)
    seen.averageError = largest > 0 ? off / largest : 0;
  return seen;
}

std::int64_t posesOf(const SceneProblem &problem) {
  std::int64_t poses = 0;
  for (const Body &body : problem.bodies.bodies)
    poses += static_cast<std::int64_t>(body.poses.size());
  return poses;
}

nexus::Process describe(const SceneTask &task, const SceneCarried &c, const Seen &seen) {
  const SceneProblem &problem = task.problem;
  nexus::Process process = processOf(problem.experiment, task.host.used, c.kernel, c.evaluations);
  process.provenance["theory"] = problem.stack.layers.empty()
                                     ? "Born approximation"
                                     : "distorted-wave Born approximation, four terms";
  process.provenance["intensity"] = problem.layout.quantity;
  std::string meshes;
  std::int64_t triangles = 0;
  for (const Body &body : problem.bodies.bodies) {
    meshes += (meshes.empty() ? "" : ", ") + body.mesh.name;
    triangles += body.mesh.blocks->size();
  }
  process.provenance["mesh"] = meshes;
  process.provenance["units"] = c.units;
  process.provenance["problem"] = c.problem;
  if (!problem.pixels(0).remark().empty())
    process.provenance["grid"] = problem.pixels(0).remark();
  process.numbers["ranks"] = task.ranks.size();
  process.numbers["triangles"] = static_cast<double>(triangles);
  process.numbers["objects"] = static_cast<double>(problem.experiment.objects.size());
  process.numbers["poses"] = static_cast<double>(posesOf(problem));
  process.numbers["pixels_behind_the_sample"] = static_cast<double>(seen.behind);
  process.numbers["measured_error_of_amplitude"] = c.phiError;
  process.numbers["amplitudes_measured"] = static_cast<double>(c.phiPixels);
  if (seen.averageError >= 0)
    process.numbers["average_half_order_difference"] = seen.averageError;
  return process;
}

/// Of the first mesh with the largest error, as it stands in its file, at q of the first image.
RuleError ruleOf(const SceneTask &task) {
  const Pixels &pixels = task.problem.pixels(0);
  Grid some;
  some.kind = Grid::Kind::Points;
  const std::int64_t all = pixels.rows() * pixels.columns(), step = all / 997 + 1;
  for (std::int64_t i = 0; i < all; i += step) {
    const Look look = pixels.at(i / pixels.columns(), i % pixels.columns());
    for (std::size_t k = 0; k < 3 && !look.behind; ++k)
      some.axes[k].re.push_back(look.q[k]);
  }
  const Kernel kernel = task.host.any();
  const PlanOptions options = task.host.host.options(kernel);
  RuleError worst;
  constexpr std::size_t most = 4; // meshes that are looked at
  for (std::size_t i = 0; i < std::min(most, task.meshes.inputs.size()) && some.size() > 0; ++i) {
    const MeshInput &mesh = task.meshes.inputs[i];
    const RuleError one = ruleError(kernel, mesh.blocks, mesh.block, options.params, some,
                                    options.seed, task.threads);
    if (i == 0 || one.median > worst.median)
      worst = one;
  }
  return worst;
}

void reportImages(const SceneTask &task, const SceneCarried &c, const Seen &seen,
                  const RuleError &rule, const std::vector<std::string> &sizes,
                  const std::vector<std::string> &pictures) {
  const SceneProblem &problem = task.problem;
  const Experiment &e = problem.experiment;
  const Pixels &pixels = problem.pixels(0);
  const SceneLayout &layout = problem.layout;
  fmt::print("images     {} of {} x {} pixels{}\n", layout.images.size(), pixels.rows(),
             pixels.columns(),
             seen.behind > 0 ? fmt::format(", {} behind the sample: NaN", seen.behind) : "");
  if (!problem.experiment.objects.empty())
    fmt::print("objects    {}, {}, {} ways turned and sized\n", problem.experiment.objects.size(),
               problem.experiment.interference, posesOf(problem));
  else if (seen.averageError >= 0)
    fmt::print("average    {} orientations and sizes; half the order differs by {:.1e} of max I\n",
               posesOf(problem), seen.averageError);
  for (const std::string &size : sizes)
    fmt::print("sizes      {}\n", size);
  if (!pixels.remark().empty())
    fmt::print("grid       {}\n", pixels.remark());
  fmt::print("intensity  {}{}\n", layout.quantity,
             layout.unit.empty() ? "" : fmt::format(", {}", layout.unit));
  fmt::print("units      {}\n", c.units);
  reportWork(task.host.used, c.kernel, c.evaluations);
  if (c.phiPixels > 0)
    fmt::print("           {:.1e} of max|{}| at {} pixels in double: {}\n", c.phiError,
               layout.amplitudeName, c.phiPixels, c.phiError <= e.accuracy ? "met" : "MISSED");
  reportRule(rule);
  fmt::print("data       {}\n", e.output);
  for (const std::string &file : pictures)
    fmt::print("picture    {}\n", file);
  missed(e, c.evaluations);
  if (c.phiError > e.accuracy)
    throw Error(
        e.output,
        fmt::format("the accuracy asked for was missed: {:.1e} of max|{}|, {:.0e} asked; the "
                    "file is kept",
                    c.phiError, layout.amplitudeName, e.accuracy),
        "terms of the four channels cancel here: ask for less (--accuracy), or leave out "
        "--class and --algorithm",
        Exit::ContractMissed);
}

void runImages(const Experiment &e, const HowToRun &how) {
  Communicator &ranks = world();
  const int sharing = ranks.localSize();
  const double memory = e.memory.empty() ? freeMemory() / sharing : parseBytes(e.memory);
  SceneMeshes meshes = meshesOf(ranks, e, memory);
  Host host(e, how.schedules);
  giveRoles(ranks, host, meshes);
  stage("meshes read");
  const SceneProblem problem(e, meshes.meshes);
  const SceneFile file(e, problem.layout);
  stage("scene made");
  const int threads = e.threads > 0 ? e.threads : std::max(1, usableThreads() / sharing);
  const SceneTask task{ranks, problem, file, meshes, host, how, threads, memory};
  std::vector<std::string> sizes;
  if (ranks.rank() == 0)
    sizes = sizesOf(problem);
  SceneCarried carried = carryOut(task);
  host.end();
  stage("computed and measured");
  if (ranks.rank() > 0)
    return;
  Seen seen;
  RuleError rule;
  if (carried.finishedBefore) { // perhaps stopped while its pictures were drawn
    fmt::print("data       {}: finished already\n", e.output);
  } else {
    seen = look(problem, file, *carried.result);
    rule = ruleOf(task);
    nexus::Process process = describe(task, carried, seen);
    addRule(rule, process.numbers);
    carried.result->finalise(process, how.compress);
    stage("data written");
  }
  std::vector<std::string> pictures;
  if (e.picture != "none")
    pictures = writeScenePictures(e.output, e.picture, picturesOf(e));
  stage("pictures written");
  if (!carried.finishedBefore)
    reportImages(task, carried, seen, rule, sizes, pictures);
  else
    for (const std::string &picture : pictures)
      fmt::print("picture    {}\n", picture);
}

void runCurve(const Experiment &e, const std::string &schedules) {
  Host host(e, schedules);
  CurveResult r = computeCurve(e, host.host);
  host.end();
  stage("computed and measured");
  const nexus::Process process = processOf(e, host.used, r.kernelName, r.evaluations);
  r.curve.provenance = process.provenance;
  r.curve.numbers = process.numbers;
  r.curve.experiment = process.experiment;
  writeNxcansas(r.curve, e.output);
  if (e.picture != "none") {
    PictureOptions options;
    options.log = e.scale == "log";
    options.decades = e.decades;
    writeCurvePicture(r.curve, e.picture, options);
  }
  double worst = 0;
  for (std::size_t i = 0; i < r.curve.q.size(); ++i)
    if (r.curve.intensity[i] > 0)
      worst = std::max(worst, r.curve.deviation[i] / r.curve.intensity[i]);
  fmt::print("curve      {} q, {} to {} directions, error estimated: up to {:.1e} of I\n",
             r.curve.q.size(), r.curve.directions.front(), r.curve.directions.back(), worst);
  fmt::print("intensity  {}{}\n", r.curve.quantity,
             r.curve.unit.empty() ? "" : fmt::format(", {}", r.curve.unit));
  reportWork(host.used, r.kernelName, r.evaluations);
  fmt::print("data       {}\n", e.output);
  if (e.picture != "none")
    fmt::print("picture    {}\n", e.picture);
  missed(e, r.evaluations);
}

} // namespace

void runScene(const Experiment &asked, const HowToRun &how) {
  if (!how.timeline.empty())
    throw Error("--timeline", "is of one particle on one grid: this experiment has more than these",
                "leave out --timeline");
  const bool curve = !asked.curve.empty();
  const std::pair<const char *, bool> given[] = {
      {"--cut", !how.cut.empty()}, {"--resume", how.resume}, {"--compress", how.compress}};
  for (const auto &[option, there] : given)
    if (curve && there)
      throw Error(option, "is of images: a curve is computed and written as a whole",
                  fmt::format("leave out {}", option));
  if (curve && world().size() > 1)
    throw Error("", fmt::format("{} processes would all compute the same curve", world().size()),
                "ranks share images; start a curve without mpirun");
  Experiment e = asked;
  if (e.picture.empty())
    e.picture = fs::path(e.output).replace_extension(".png");
  if (world().rank() == 0) {
    checkOutputs(e, how);
    warnOfBeam(e);
  }
  if (curve)
    runCurve(e, how.schedules);
  else
    runImages(e, how);
}

} // namespace facet::cli
