// plan.cpp - what SceneDecider expects, summed over angles, bodies and poses, and told.
#include "runtime/cli/scene/plan.h"
#include "runtime/cli/input/sanity.h"
#include "runtime/cli/scene/workers.h"
#include "runtime/experiment/scene/units/decide.h"
#include "runtime/experiment/scene/units/evaluate.h"
#include "runtime/files/clock.h"
#include "runtime/planner/machine.h"
#include <algorithm>
#include <cmath>
#include <facet/runtime/error.h>
#include <fmt/format.h>

namespace facet::cli {
namespace {

using namespace facet::runtime;

std::string plural(std::int64_t n, const std::string &what) {
  return fmt::format("{} {}{}", n, what, n == 1 ? "" : "s");
}

/// All that is expected of a run on this machine.
struct Expected {
  const ExpectedPart *dearest = nullptr;
  std::string dearestOf;
  double oneThread = 0;  // seconds of sums
  double passes = 0;     // of reading and turning meshes, which each pose does in each unit
  double error = 0;      // the largest
  std::int64_t seen = 0; // units that are not behind the sample
  Workers workers;
  double seconds = 0; // of all threads
};

/// Seconds until all records are read, turned and made what sums take, measured on one block.
double passSeconds(const Body &body, const Kernel &kernel, const Decision &how) {
  Slices slices(kernel, how, poseBlocks(body.mesh.blocks, body.middle, body.largest, noRotation),
                0);
  slices.setRotation(body.poses.back().rotation);
  const Stopwatch watch;
  slices.get(0);
  const auto records = static_cast<double>(slices.records());
  return watch.seconds() * records / std::min(records, static_cast<double>(how.cut.records));
}

class ScenePlan {
public:
  ScenePlan(const Experiment &e, const std::string &schedules)
      : e_(e),
        memory_(e.memory.empty() ? freeMemory() / world().localSize() : parseBytes(e.memory)),
        host_(e, schedules), meshes_(meshesOf(world(), e, memory_)), read_(watch_.seconds()),
        problem_(e, (giveRoles(world(), host_, meshes_), meshes_.meshes)),
        file_(e, problem_.layout), threads_(e.threads > 0 ? e.threads : usableThreads()),
        kernels_(kernelsOf(problem_, host_.host, numbers_)),
        decider_(problem_,
                 {host_.host, kernels_, numbers_, memoryForSums(meshes_, memory_), 0, 0, 0,
                  [this](const Kernel &kernel, const std::string &target) {
                    return host_.queuesOf(kernel, target);
                  }}),
        decision_(decider_.decide()), units_(unitsOf(problem_, decision_)) {
    host_.end();
    started_ = watch_.seconds() - read_;
    expect();
  }

  void report() const;
  void reportScaling(const ScalingAsked &asked) const;

private:
  void expect();
  std::string wayOf(std::size_t way) const;
  void reportParts() const;
  std::vector<Body> const &bodies() const { return problem_.bodies.bodies; }
  std::int64_t poses() const {
    std::int64_t all = 0;
    for (const Body &body : bodies())
      all += static_cast<std::int64_t>(body.poses.size());
    return all;
  }

  const Experiment &e_;
  Stopwatch watch_;
  double memory_;
  Host host_;
  SceneMeshes meshes_;
  double read_, started_ = 0;
  SceneProblem problem_;
  SceneFile file_; // cuts that meet no pixel are refused
  int threads_;
  std::vector<std::vector<std::size_t>> numbers_;
  std::vector<Kernel> kernels_;
  SceneDecider decider_;
  SceneDecision decision_;
  std::vector<SceneUnit> units_;
  Expected expected_;
};

void ScenePlan::expect() {
  Expected &x = expected_;
  std::vector<double> seenOf(problem_.ways(), 0); // rows of units, whatever poses these have
  for (const SceneUnit &unit : units_)
    if (sizeOf(problem_, unit) > 0) {
      ++x.seen;
      seenOf[problem_.way[unit.image]] += unit.first == 0 ? 1 : 0;
    }
  for (std::size_t w = 0; w < problem_.ways(); ++w)
    for (std::size_t b = 0; b < bodies().size(); ++b) {
      const ExpectedPart *part = decider_.expected(w, b);
      if (part == nullptr)
        continue;
      const Choice &taken = part->choices[part->taken];
      const SceneDecision::Part &how = decision_.ways[w].parts[b];
      x.oneThread += taken.seconds;
      x.passes += seenOf[w] * static_cast<double>(bodies()[b].poses.size()) *
                  passSeconds(bodies()[b], kernels_[how.kernel], how.how);
      x.error = std::max(x.error, taken.error);
      if (x.dearest == nullptr || taken.seconds > x.dearest->choices[x.dearest->taken].seconds) {
        x.dearest = part;
        x.dearestOf = wayOf(w) + bodies()[b].name;
      }
    }
  x.workers = workersFor({problem_, meshes_, kernels_, threads_, memory_}, decision_, units_,
                         units_.size());
  const auto seen = static_cast<double>(std::max<std::int64_t>(x.seen, 1));
  const double turns = std::ceil(seen / x.workers.workers) / seen;
  x.seconds = turns * (x.oneThread / x.workers.inside + x.passes);
}

/// "alpha_i = 0.25 deg, "; "" in transmission.
std::string ScenePlan::wayOf(std::size_t way) const {
  const auto first = std::find(problem_.way.begin(), problem_.way.end(), way);
  const SceneView &view =
      problem_.layout.images[static_cast<std::size_t>(first - problem_.way.begin())];
  return problem_.stack.layers.empty() ? "" : fmt::format("alpha_i = {} deg, ", view.alphaI);
}

void ScenePlan::reportParts() const {
  std::string head = "would run";
  for (std::size_t w = 0; w < problem_.ways(); ++w) {
    const SceneDecision::Way &way = decision_.ways[w];
    if (way.parts.empty())
      fmt::print("{:<10} {}all of it behind the sample\n", head, wayOf(w));
    for (std::size_t b = 0; b < way.parts.size(); ++b, head.clear()) {
      const ExpectedPart &part = *decider_.expected(w, b);
      const Choice &taken = part.choices[part.taken];
      fmt::print("{:<10} {}{}: {}, {}; {}, error {:.1e} expected\n", head, wayOf(w),
                 bodies()[b].name, name(taken), way.parts[b].how.target,
                 showSeconds(taken.seconds / expected_.workers.workers / expected_.workers.inside),
                 taken.error);
    }
    head.clear();
  }
  head = "units";
  for (std::size_t w = 0; w < problem_.ways(); ++w, head.clear()) {
    std::string blocks;
    for (std::size_t b = 0; b < decision_.ways[w].parts.size(); ++b)
      if (const std::int64_t records = decision_.ways[w].parts[b].how.cut.records;
          records > 0 && records < bodies()[b].mesh.blocks->size())
        blocks += fmt::format("; {} in blocks of {} records", bodies()[b].name, records);
    const auto n = std::count_if(units_.begin(), units_.end(), [&](const SceneUnit &unit) {
      return problem_.way[unit.image] == w;
    });
    const std::int64_t own = decision_.ways[w].blocks * problem_.posesOfBlock;
    fmt::print("{:<10} {}{} of {}{}{}\n", head, wayOf(w), n, plural(decision_.ways[w].rows, "row"),
               own > 0 ? fmt::format(" by {}", plural(own, "pose")) : "", blocks);
  }
}

void ScenePlan::report() const {
  const SceneLayout &layout = problem_.layout;
  const Expected &x = expected_;
  double pixels = 0, seen = 0;
  for (std::size_t i = 0; i < layout.images.size(); ++i)
    pixels += static_cast<double>(problem_.pixels(i).rows() * problem_.pixels(i).columns());
  double work = 0;
  for (const SceneUnit &unit : units_) {
    seen += unit.first == 0 ? sizeOf(problem_, unit) : 0;
    work += workOf(problem_, unit);
  }
  fmt::print("kernel     {} ({})\n", kernels_[0]->name, host_.used.kernelPath);
  fmt::print("images     {} of {} x {} pixels, {:.0f} in all\n", layout.images.size(),
             problem_.pixels(0).rows(), problem_.pixels(0).columns(), pixels);
  if (!problem_.experiment.objects.empty())
    fmt::print("objects    {}, {}, {} ways turned and sized\n", problem_.experiment.objects.size(),
               problem_.experiment.interference, poses());
  else if (layout.averaged)
    fmt::print("average    {} orientations and sizes\n", poses());
  for (const Body &body : bodies())
    fmt::print("mesh       {}: {} records, {}, {}\n", body.name, body.mesh.blocks->size(),
               body.mesh.block > 0 ? "read in blocks" : "in memory",
               plural(static_cast<std::int64_t>(body.poses.size()), "pose"));
  for (const std::string &sizes : sizesOf(problem_))
    fmt::print("sizes      {}\n", sizes);
  fmt::print("work       about {:.2g} q of F: {:.2e} triangle-q-points\n", seen, work);
  reportParts();
  fmt::print("time       {} on {}{}\n", showSeconds(x.seconds), plural(threads_, "thread"),
             meshes_.streamed ? fmt::format(", {} of it reading meshes",
                                            showSeconds(x.passes / x.workers.workers))
                              : "");
  fmt::print("memory     {}: {} of {} each\n",
             showBytes(SceneMeshes::atStart + meshes_.bytes + x.workers.workers * x.workers.bytes),
             plural(x.workers.workers, "worker"), showBytes(x.workers.bytes));
  fmt::print("error      {:.1e} of max|F| expected, {:.0e} asked for\n", x.error, e_.accuracy);
  if (x.dearest == nullptr)
    return;
  fmt::print("\n{}, by one thread:", x.dearestOf);
  reportChoices(x.dearest->choices, x.dearest->choices[x.dearest->taken], e_.accuracy);
}

void ScenePlan::reportScaling(const ScalingAsked &asked) const {
  const Expected &x = expected_;
  ScalingCosts costs;
  costs.units = std::max<std::int64_t>(x.seen, 1);
  // Errors are measured before the first unit, then in few of them.
  costs.startSeconds = started_;
  const auto units = static_cast<double>(costs.units);
  const double passes = x.passes / x.workers.workers;
  costs.unitSeconds =
      (x.oneThread / (x.workers.workers * x.workers.inside) + (meshes_.streamed ? 0 : passes)) /
      units;
  costs.blocks = 1; // of poses: units that have some only are not shared
  if (decision_.ways[0].blocks == 0)
    costs.blocks = problem_.blocksOfPoses();
  double records = 0, values = 0;
  for (const Body &body : bodies()) {
    const auto n = static_cast<double>(body.mesh.blocks->size());
    records += n;
  }
  costs.meshBytes = static_cast<double>(sizeof(double)) * kernels_[0]->column_count * records;
  costs.meshSeconds = read_;
  costs.streamed = meshes_.streamed;
  costs.passSeconds = meshes_.streamed ? passes / units : 0;
  for (std::size_t i = 0; i < problem_.layout.images.size(); ++i)
    values += static_cast<double>(problem_.pixels(i).rows() * problem_.pixels(i).columns());
  costs.resultBytes =
      (8 + (problem_.layout.averaged ? 8 : 0) + (problem_.layout.amplitude ? 16 : 0)) * values;
  costs.rankBytes = SceneMeshes::atStart + meshes_.bytes + x.workers.workers * x.workers.bytes -
                    (meshes_.streamed ? 0 : costs.meshBytes); // which the model adds
  facet::cli::reportScaling(costs, threads_,
                            fmt::format("{}, {:.0f} triangles, {:.0f} pixels, {}",
                                        kernels_[0]->name, records, values,
                                        plural(poses(), "pose")),
                            asked);
}

} // namespace

void planScene(const Experiment &experiment, const std::string &schedules,
               const ScalingAsked &asked) {
  if (!experiment.curve.empty())
    throw Error("[grid] q",
                "is of a curve, whose directions are doubled until it is accurate: "
                "facet plan cannot say how many there will be",
                "facet run computes it; facet plan takes images, or one particle on one grid");
  warnOfBeam(experiment);
  const ScenePlan plan(experiment, schedules);
  plan.report();
  if (asked.ranks != 0 || !asked.picture.empty())
    plan.reportScaling(asked);
}

} // namespace facet::cli
