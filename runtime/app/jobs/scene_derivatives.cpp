// scene_derivatives.cpp - the adjoint of an experiment's images, unit by unit of the result.
#include "runtime/app/jobs/scene_derivatives.h"
#include "runtime/engine/kernel/inside.h"
#include <algorithm>
#include <fmt/format.h>

namespace facet::cli {
using namespace facet::runtime;
namespace {

std::vector<Observation::Image> imagesOf(const SceneProblem &problem, const SceneFile &file) {
  const auto like = [](const nexus::Group &group) {
    return Observation::Image{group.name, group.signals[0].shape, group.numbers};
  };
  const std::vector<nexus::Group> &groups = file.tiled().file.groups;
  if (problem.isCurve())
    return {like(groups.at(0))};
  std::vector<Observation::Image> images;
  for (const SceneView &view : problem.layout.seen())
    for (const nexus::Group &group : groups)
      if (group.name == "image" + view.suffix)
        images.push_back(like(group));
  return images;
}

} // namespace

SceneDerivatives::SceneDerivatives(const JobOptions &how, const SceneProblem &problem,
                                   const SceneFile &file, int threads, double memory)
    : Derivatives(how, imagesOf(problem, file), problem.layout.unit, threads, memory),
      problem_(problem), file_(file), keys_(problem, how.gradientKeys),
      options_(adjointOptions(problem.experiment, keys_, true, nullptr)) {
  options_.kernel.options.speed = assumedSpeed;
  checkCorners(problem);
  for (const Body *body : problem.bodies.ofParticles()) {
    if (body->mesh.block > 0)
      throw tooLarge(body->mesh.name);
    addMesh(body->particle, body->mesh.blocks->read(0, body->mesh.blocks->size()));
  }
}

void SceneDerivatives::tryKernel() const {
  for (const Body &body : problem_.bodies.bodies) {
    const ImageRows row = problem_.tile(0, body, {problem_.pixels(0).rows() - 1}, 1);
    if (row.grid().size() > 0)
      Gradient(options_.kernel.file, row.grid(), thinned(*body.mesh.blocks, 16),
               options_.kernel.options);
  }
}

void SceneDerivatives::take(SceneRun &run) {
  const SceneDecision &decision = run.decision();
  run_ = &run;
  units_.clear();
  work_.clear();
  if (decision.ways.size() != problem_.ways()) // of another experiment, which is said later
    return;
  decision_ = withSharedUnits(problem_, decision);
  for (const SceneDecision::Incidence &way : decision.ways)
    for (const SceneDecision::BodyDecision &part : way.parts)
      if (!isDeviceTarget(part.how.target))
        options_.kernel.options.target = part.how.target;
  units_ = unitsOf(problem_, decision_);
  options_.kernel.options.calls = static_cast<double>(units_.size() * problem_.poses.size());
  checkSymmetries(run.kernels().at(0), problem_, keys_);
  options_.parameters = keys_.parameters(*run.kernels().at(0));
  numbers_ = std::ssize(SceneAdjoint(problem_, options_).take().numbers());
  onDevice_ = decision_.onDevice();
  for (const SceneUnit &unit : units_) {
    work_.push_back(workOf(problem_, unit));
    largestUnit_ = std::max(largestUnit_, static_cast<double>(unit.end - unit.begin) *
                                              problem_.rowOf(unit.image));
  }
}

/// dL by each intensity of a unit's rows, and their misfit.
std::vector<double> SceneDerivatives::compare(const TiledResult &result, const SceneUnit &unit,
                                              Misfit &misfit) const {
  const std::int64_t columns = problem_.pixels(unit.image).columns();
  std::vector<double> intensity(static_cast<std::size_t>((unit.end - unit.begin) * columns)), slope;
  file_.read(result, unit.image, unit.begin, unit.end, intensity.data(), nullptr);
  observed()
      .read(unit.image, unit.begin * columns, std::ssize(intensity))
      .compare(intensity, slope, misfit);
  return slope;
}

Derivatives::Sum SceneDerivatives::sum(const Attempt &attempt, const std::atomic<bool> *leave) {
  SceneContext context = run_->context(1);
  context.resources.leave = leave;
  SceneAdjoint::Options options = options_;
  options.kernel.options.leave = leave;
  const bool whole = problem_.isCurve() || problem_.layout.blurs(); // units have some of each value
  std::vector<std::vector<double>> byImage;
  Misfit ofAll;
  for (std::size_t i = 0; whole && i < (problem_.isCurve() ? 1 : file_.images()); ++i) {
    const std::vector<double> intensity = problem_.isCurve()
                                              ? file_.intensityOfCurve(attempt.result)
                                              : file_.recorded(attempt.result, i).intensity;
    std::vector<double> by;
    observed().read(i, 0, std::ssize(intensity)).compare(intensity, by, ofAll);
    if (problem_.isCurve())
      byImage.push_back(std::move(by));
    else
      std::ranges::move(pullRecorded(problem_.layout, i, by, intensity),
                        std::back_inserter(byImage));
  }
  return [this, &attempt, context, options, byImage, ofAll, whole](std::int64_t k, Misfit &misfit) {
    const SceneUnit &unit = units_[static_cast<std::size_t>(k)];
    if (whole && k == 0)
      misfit = ofAll;
    const std::vector<double> slope =
        whole ? cotangentOfRows(problem_, unit, byImage) : compare(attempt.result, unit, misfit);
    SceneAdjoint adjoint(problem_, options);
    if (std::ranges::any_of(slope, [](double by) { return by != 0; })) {
      UnitEvaluator evaluator(context, decision_);
      adjoint.add(unit, evaluator, slope.data(), scalesOf(problem_, unit), nullptr);
    }
    return adjoint.take().numbers();
  };
}

Derivatives::MisfitGradient
SceneDerivatives::make(const std::function<std::vector<double>(std::int64_t unit)> &each) {
  SceneCotangent all = SceneAdjoint(problem_, options_).take(), one = all;
  for (std::int64_t k = 0; k < std::ssize(units_); ++k) {
    one.setNumbers(each(k));
    all.add(one);
  }
  SceneAdjoint::finish(problem_, all);
  MisfitGradient made;
  made.keys = keys_.of(all);
  made.error = all.error;
  for (auto &[particle, corners] : SceneAdjoint::corners(problem_, all))
    made.corners.push_back(std::move(corners));
  return made;
}

} // namespace facet::cli
