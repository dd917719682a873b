// run.cpp - a run of a whole experiment: images of a scene, or a curve.
#include "runtime/cli/scene/run.h"
#include "runtime/blocks/mpi/communicator.h"
#include "runtime/cli/run/progress.h"
#include "runtime/cli/run/run.h"
#include "runtime/cli/timings.h"
#include "runtime/experiment/scene/curve.h"
#include "runtime/experiment/scene/output/files.h"
#include "runtime/experiment/scene/output/pictures.h"
#include <facet/runtime/error.h>
#include <filesystem>
#include <fmt/format.h>
#include <map>

namespace facet::cli {
namespace {

using namespace facet::runtime;
namespace fs = std::filesystem;

/// The program around a scene: kernels by kind of grid, progress, what is said.
class Host {
public:
  Host(const Experiment &e, const std::string &schedules) {
    host.kernel = [this, &e, schedules](const Grid &grid) {
      // A library is for one kind of grid and of q; a short z axis may run as points.
      const bool points = grid.kind == Grid::Kind::Points || grid.extents()[2] < 8;
      const auto [found, fresh] = kernels_.try_emplace({points, grid.complexQ()});
      if (fresh)
        found->second = kernelFor(e, grid, schedules, used);
      return *found->second;
    };
    host.options = [&e](const Kernel &kernel) { return planOptions(e, kernel); };
    host.progress = [this](double done, double total) { progress_.show(done, total); };
    host.say = [this](const std::string &text) { tell(text); };
    host.warn = [this](const std::string &text) { tell("warning: " + text); };
  }
  Host(const Host &) = delete;
  Host &operator=(const Host &) = delete;
  ~Host() { progress_.end(); }
  void end() { progress_.end(); }

  SceneHost host;
  RunResult used; // of the kernel: where from, whether compiled

private:
  void tell(const std::string &text) {
    progress_.end();
    fmt::print(stderr, "facet: {}\n", text);
  }
  std::map<std::pair<bool, bool>, std::optional<Kernel>> kernels_;
  Progress progress_;
};

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

void describe(const SceneResult &r, nexus::Process &process) {
  const bool sample = r.images[0].pixels->grazing();
  process.provenance["theory"] =
      sample ? "distorted-wave Born approximation, four terms" : "Born approximation";
  process.provenance["intensity"] = r.quantity;
  std::string meshes;
  for (const std::string &name : r.meshes)
    meshes += (meshes.empty() ? "" : ", ") + name;
  process.provenance["mesh"] = meshes;
  if (!r.remark.empty())
    process.provenance["grid"] = r.remark;
  process.numbers["triangles"] = static_cast<double>(r.triangles);
  process.numbers["objects"] = static_cast<double>(r.objects);
  process.numbers["poses"] = static_cast<double>(r.orientations);
  process.numbers["pixels_behind_the_sample"] = static_cast<double>(r.behind);
  process.numbers["measured_error_of_amplitude"] = r.phiError;
  process.numbers["amplitudes_measured"] = static_cast<double>(r.phiPixels);
  if (r.averageError >= 0)
    process.numbers["average_half_order_difference"] = r.averageError;
}

void runImages(const Experiment &e, const std::string &schedules) {
  Host host(e, schedules);
  const SceneResult r = computeScene(e, host.host);
  host.end();
  stage("computed and measured");
  nexus::Process process = processOf(e, host.used, r.kernelName, r.evaluations);
  describe(r, process);
  writeSceneFile(e, r, process);
  stage("data written");
  std::vector<std::string> pictures;
  if (e.picture != "none")
    pictures = writeScenePictures(e.output, e.picture, picturesOf(e));
  stage("pictures written");

  const Pixels &pixels = *r.images[0].pixels;
  fmt::print("images     {} of {} x {} pixels{}\n", r.images.size(), pixels.rows(),
             pixels.columns(),
             r.behind > 0 ? fmt::format(", {} behind the sample: NaN", r.behind) : "");
  if (r.objects > 0)
    fmt::print("objects    {}, {}, {} ways turned and sized\n", r.objects,
               e.scene->coherent ? "coherent" : "incoherent", r.orientations);
  else if (r.averageError >= 0)
    fmt::print("average    {} orientations and sizes; half the order differs by {:.1e} of max I\n",
               r.orientations, r.averageError);
  if (!r.remark.empty())
    fmt::print("grid       {}\n", r.remark);
  fmt::print("intensity  {}{}\n", r.quantity, r.unit.empty() ? "" : fmt::format(", {}", r.unit));
  reportWork(host.used, r.kernelName, r.evaluations);
  if (r.phiPixels > 0)
    fmt::print("           {:.1e} of max|{}| at {} pixels in double: {}\n", r.phiError,
               r.amplitudeName, r.phiPixels, r.phiError <= e.accuracy ? "met" : "MISSED");
  fmt::print("data       {}\n", e.output);
  for (const std::string &file : pictures)
    fmt::print("picture    {}\n", file);
  missed(e, r.evaluations);
  if (r.phiError > e.accuracy)
    throw Error(
        e.output,
        fmt::format("the accuracy asked for was missed: {:.1e} of max|{}|, {:.0e} asked; the "
                    "file is kept",
                    r.phiError, r.amplitudeName, e.accuracy),
        "terms of the four channels cancel here: ask for less (--accuracy), or leave out "
        "--class and --algorithm",
        Exit::ContractMissed);
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
  const std::pair<const char *, bool> given[] = {{"--timeline", !how.timeline.empty()},
                                                 {"--cut", !how.cut.empty()},
                                                 {"--resume", how.resume},
                                                 {"--compress", how.compress}};
  for (const auto &[option, there] : given)
    if (there)
      throw Error(option, "is of one particle on one grid: this experiment has more than these",
                  fmt::format("leave out {}", option));
  if (world().size() > 1)
    throw Error("", fmt::format("{} processes would all do the same", world().size()),
                "ranks share one particle on one grid; start whole experiments without mpirun");
  const std::string &schedules = how.schedules;
  Experiment e = asked;
  if (e.picture.empty())
    e.picture = fs::path(e.output).replace_extension(".png");
  checkWritable(e.output);
  if (e.picture != "none")
    checkWritable(e.picture);
  if (e.scene->curve.empty())
    runImages(e, schedules);
  else
    runCurve(e, schedules);
}

} // namespace facet::cli
