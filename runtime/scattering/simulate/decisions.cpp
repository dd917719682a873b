// decisions.cpp - when a decision of before holds, and what it is for particles of other sizes.
#include "runtime/scattering/simulate/decisions.h"
#include "runtime/engine/kernel/kernel_for.h"
#include "runtime/engine/system/machine.h"

namespace facet::runtime {
namespace {

/// How far a decision reaches: of the largest |q| times the radius it was made for; of records.
constexpr double leastPhase = 0.5, mostPhase = 1.25, mostRecords = 2;

double radiusOf(const Body &body) { return body.largest * body.mesh.summary.farthest; }

} // namespace

/// A library is for one kind of grid and of q; a short z axis may run as points.
Kernel SimulationDecisions::kernel(const Experiment &e, const Grid &grid) {
  const bool points = grid.kind == Grid::Kind::Points || grid.extents()[2] < 8;
  const auto key = std::tuple(codeOf(e), e.target, e.algorithm, points, grid.complexQ());
  const auto known = libraries_.find(key);
  if (known != libraries_.end())
    return known->second;
  const KernelWanted wanted{e.kernel, e.target, e.algorithm, options_.schedules, options_.say, {}};
  return libraries_.emplace(key, kernelFor(wanted, grid).kernel).first->second;
}

void SimulationDecisions::setExperiment(const ReadyExperiment &ready, double memory) {
  decider_.reset();
  ready_ = &ready;
  memory_ = memory;
}

bool SimulationDecisions::hold() const {
  if (!planned_ || planned_->structure != ready_->structure())
    return false;
  for (std::size_t b = 0; b < bodies().size(); ++b) {
    const double records = static_cast<double>(bodies()[b].mesh.blocks->size()) /
                           static_cast<double>(planned_->records[b]);
    if (records > mostRecords || records < 1 / mostRecords)
      return false;
    for (std::size_t w = 0; w < ready_->reach.size(); ++w)
      if (const double before = planned_->reach[w] * planned_->radii[b]; planned_->reach[w] > 0)
        if (const double phase = ready_->reach[w] * radiusOf(bodies()[b]);
            !(phase >= leastPhase * before && phase <= mostPhase * before))
          return false;
  }
  return true;
}

Queues *SimulationDecisions::queues(const Kernel &kernel, const std::string &target) {
  const std::lock_guard lock(mutex_);
  if (!runsOnDevice(kernel, target))
    return nullptr;
  if (!queues_)
    queues_ = openQueues(target);
  return queues_.get();
}

SceneContext SimulationDecisions::context(std::shared_ptr<Pool> pool) {
  return {problem(),
          kernels_,
          [this](const Kernel &k, const std::string &target) { return queues(k, target); },
          {.pool = std::move(pool)}};
}

SceneDecider &SimulationDecisions::decider() {
  if (!decider_)
    decider_ = std::make_unique<SceneDecider>(
        context(pool_),
        SceneDecider::Options{
            [this](const Kernel &k) { return planOptionsOf(ready_->experiment, k); }, options_.say,
            numbers_, ready_->memoryForSums(memory_)});
  return *decider_;
}

void SimulationDecisions::plan() {
  planned_.reset();
  const int threads = ready_->experiment.threads;
  pool_ = std::make_shared<Pool>(threads > 0 ? threads : usableThreads());
  kernels_ = kernelsOf(
      problem(), [this](const Grid &grid) { return kernel(ready_->experiment, grid); }, numbers_);
  Planned made{ready_->structure(), decider().decide(), {}, ready_->reach, {}};
  for (SceneDecision::Incidence &way : made.decision.ways)
    way.blocks = 0; // no stop has to keep some of the poses: units have all
  for (const Body &body : bodies()) {
    made.radii.push_back(radiusOf(body));
    made.records.push_back(body.mesh.blocks->size());
  }
  planned_ = std::move(made);
}

SceneDecision SimulationDecisions::scaled() const {
  SceneDecision now = planned_->decision;
  for (SceneDecision::Incidence &way : now.ways)
    for (std::size_t b = 0; b < way.parts.size(); ++b)
      if (planned_->radii[b] > 0)
        way.parts[b].how =
            atScale(std::move(way.parts[b].how), radiusOf(bodies()[b]) / planned_->radii[b]);
  return now;
}

} // namespace facet::runtime
