// run.cpp - libraries, queues, a decision and its units, errors: what is made of a scene once.
#include "runtime/scattering/scene/run.h"
#include "runtime/engine/kernel/cache.h"
#include "runtime/engine/kernel/kernel_for.h"
#include "runtime/engine/system/machine.h"
#include "runtime/scattering/scene/budget.h"
#include <algorithm>

namespace facet::runtime {

std::string codeOf(const Experiment &e) {
  return e.kernel + "; " + hashFile(findKernel(splitKernel(e.kernel).first));
}

/// A library is for one kind of grid and of q.
Kernel SceneRun::kernel(const Experiment &e, const Grid &grid) {
  const auto key =
      std::tuple(codeOf(e), e.target, e.algorithm, libraryGrid(grid, e.algorithm), grid.complexQ());
  const auto known = libraries_.find(key);
  return known != libraries_.end() ? known->second
                                   : libraries_.emplace(key, tools_.find(e, grid)).first->second;
}

void SceneRun::setScene(const SceneInputs &scene, double memory) {
  decider_.reset();
  scene_ = &scene;
  memory_ = memory;
}

void SceneRun::findKernels() {
  pool_.reset();
  kernels_ = kernelsOf(
      problem(), [this](const Grid &grid) { return kernel(scene_->experiment, grid); }, numbers_);
}

const std::shared_ptr<Pool> &SceneRun::pool() {
  const int threads = scene_->experiment.threads;
  if (!pool_)
    pool_ = std::make_shared<Pool>(threads > 0 ? threads : usableThreads());
  return pool_;
}

SceneContext SceneRun::context(std::shared_ptr<Pool> pool) {
  return {problem(),
          kernels_,
          [this](const Kernel &k, const std::string &target) { return queues_.of(k, target); },
          {.pool = std::move(pool)}};
}

SceneDecider &SceneRun::decider() {
  if (!decider_)
    decider_ = std::make_unique<SceneDecider>(
        context(pool()),
        SceneDecider::Options{
            [this](const Kernel &k) { return tools_.options(scene_->experiment, k); }, tools_.say,
            numbers_, scene_->memoryForSums(memory_), cut_[0], cut_[1], cut_[2], tools_.often});
  return *decider_;
}

void SceneRun::follow(SceneDecision decision) {
  decision_ = std::move(decision);
  const auto isOfThese = [this](const SceneDecision::Incidence &way) {
    return (way.parts.empty() || way.parts.size() == problem().bodies.bodies.size()) &&
           std::ranges::all_of(way.parts, [this](const SceneDecision::BodyDecision &part) {
             return part.kernel < kernels_.size();
           });
  };
  units_ =
      decision_.ways.size() == problem().ways() && std::ranges::all_of(decision_.ways, isOfThese)
          ? unitsOf(problem(), decision_)
          : std::vector<SceneUnit>();
}

void SceneRun::judge(std::vector<PoseCheck> checks, bool spread) {
  // Errors are relative to the largest F of all units, which is known only now.
  if (spread)
    std::ranges::move(decider().check(decision_, checks), std::back_inserter(checks));
  errors_ = runtime::judge(checks, scene_->experiment.accuracy, scene_->experiment.seed);
}

bool SceneRun::sharpen() {
  bool again = false;
  for (const SceneErrors::PartMiss &missed : errors_.missed)
    again = decider().sharpen(missed.way, missed.body) || again;
  return again;
}

double SceneRun::bytesOfBody(const SceneDecision::BodyDecision &part, const Body &body) const {
  const auto records = static_cast<double>(body.records);
  double bytes =
      part.bytes + (body.mesh.streamed()
                        ? bytes::ofPosedRecord * static_cast<double>(part.how.cut.records)
                        : 24.0 * kernels_[part.kernel]->column_count * records);
  if (body.isPart()) // before the cut, and after it
    bytes += body.mesh.streamed()
                 ? bytes::ofCutBlock
                 : bytes::ofCutRecord * (static_cast<double>(body.mesh.size()) + records);
  return bytes;
}

double SceneRun::bytesOfEvaluator() const {
  const Bodies &bodies = problem().bodies;
  const auto parts = static_cast<double>(bodies.mostParts());
  double bytes = 1, largest = 0;
  for (const SceneDecision::Incidence &way : decision_.ways)
    for (std::size_t b = 0; b < way.parts.size(); b = bodies.endOf(b)) {
      double together = 0;
      for (std::size_t part = b; part < bodies.endOf(b); ++part)
        together += bytesOfBody(way.parts[part], bodies.bodies[part]);
      bytes = std::max(bytes, together);
    }
  for (const SceneUnit &unit : units_) {
    const double row = parts * bytes::ofImageQ * problem().rowOf(unit.image) +
                       bytes::ofPixel * static_cast<double>(problem().pixels(unit.image).columns());
    largest = std::max(largest, static_cast<double>(unit.end - unit.begin) * row);
  }
  return bytes + largest;
}

double SceneRun::bytesOfRecorded() const {
  double most = 0;
  for (const SceneView &view : problem().layout.seen())
    most = std::max(most, static_cast<double>(view.pixels->rows() * view.pixels->columns()));
  return problem().layout.blurs() ? bytes::ofRecorded * most : 0;
}

std::vector<double> SceneRun::errorsOfBands() const {
  std::vector<double> errors;
  for (std::size_t w = 0; w < problem().ways(); ++w) {
    const auto found = errors_.ofWays.find(static_cast<std::int64_t>(w));
    errors.push_back(found == errors_.ofWays.end() ? 0 : found->second);
  }
  return errors;
}

} // namespace facet::runtime
