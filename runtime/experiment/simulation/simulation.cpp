// simulation.cpp - decisions that are made when they have to be, units that are computed as far as
// what they left before does not hold, the contract.
#include "runtime/experiment/physics/layers.h"
#include "runtime/experiment/scene/remarks/remarks.h"
#include "runtime/experiment/scene/units/decide.h"
#include "runtime/experiment/simulation/how_to_derive.h"
#include "runtime/experiment/simulation/image_slopes.h"
#include "runtime/experiment/simulation/ready.h"
#include "runtime/files/clock.h"
#include "runtime/kernel/inside.h"
#include "runtime/planner/budget.h"
#include "runtime/planner/machine.h"
#include "runtime/tuning/kernel_for.h"
#include <algorithm>
#include <atomic>
#include <facet/runtime/error.h>
#include <facet/runtime/simulation.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>
#include <mutex>

namespace facet::runtime {
namespace {

/// How far a decision reaches: of the largest |q| times the radius it was made for; of records.
constexpr double leastPhase = 0.5, mostPhase = 1.25, mostRecords = 2;

double radiusOf(const Body &body) { return body.largest * body.mesh.summary.farthest; }

} // namespace

class Simulation::State {
public:
  State(Experiment experiment, SimulationOptions options) : options_(std::move(options)) {
    update(std::move(experiment));
  }

  void update(Experiment experiment);
  void execute();
  double error();
  SimulatedGradient gradient(const std::vector<std::vector<double>> &cotangent,
                             const GradientWanted &wanted);
  SimulatedSlopes slopes(const std::vector<std::string> &keys);
  const SceneLayout &layout() const { return ready_->problem->layout; }
  const ReadyExperiment &ready() const { return *ready_; }

  std::vector<SimulatedImage> images;
  Simulated last;
  std::function<void(double, double)> progress;
  SceneDecision decision; // of the last compute()

private:
  /// What decisions were made of.
  struct Planned {
    std::string structure;
    SceneDecision decision;
    std::vector<double> radii, reach; // by body, by way
    std::vector<std::int64_t> records;
  };

  Kernel kernel(const Experiment &e, const Grid &grid);
  const std::vector<Body> &bodies() const { return ready_->problem->bodies.bodies; }
  bool holds() const;
  void plan();
  SceneMeans means(std::shared_ptr<Pool> pool);
  SceneDecider &decider();
  SceneDecision scaled() const;
  void setParams();
  KeepBy keepBy() const;
  bool keepsRows() const;
  bool countsPixels() const { return ready_->experiment.particles[0].density.has_value(); }
  void compute();
  std::vector<std::unique_ptr<UnitEvaluator>> evaluators(std::int64_t units);
  double workOfAll(const std::vector<SceneUnit> &units) const;
  void computeUnits(const std::vector<SceneUnit> &units, std::vector<SimulatedImage> &to);
  void runUnit(UnitEvaluator &evaluator, const std::vector<SceneUnit> &units, std::int64_t number,
               std::vector<SimulatedImage> &to);
  bool missed(bool fresh);
  std::vector<PoseCheck> checks() const;
  std::vector<SimulatedImage> emptyImages() const;
  void store(const SceneUnit &unit, UnitRows &rows, std::vector<SimulatedImage> &to);
  void setCurve();
  /// Once a plan.
  void warnOfRule() const;
  using UseUnit = std::function<void(std::size_t number, UnitEvaluator &, KeptAdjoints *)>;
  void eachLargeUnit(const std::vector<SceneUnit> &units, const SceneDecision &large,
                     const UseUnit &use);
  SceneSlopes sceneSlopes(const std::vector<std::vector<double>> &cotangent,
                          SceneAdjoint::Options options);
  Queues *queues(const Kernel &kernel, const std::string &target);

  SimulationOptions options_;
  double memory_ = 0;
  std::map<std::tuple<std::string, std::string, std::string, bool, bool>, Kernel> libraries_;
  std::unique_ptr<ReadyExperiment> ready_;
  bool stale_ = true;

  std::optional<Planned> planned_; // none: decisions are to be made
  std::vector<Kernel> kernels_;
  std::vector<std::vector<std::size_t>> numbers_;
  std::vector<std::vector<double>> params_;
  std::unique_ptr<SceneDecider> decider_; // of this experiment, once it is needed

  std::shared_ptr<Pool> pool_;
  std::unique_ptr<Queues> queues_;
  std::mutex mutex_; // of queues_
  std::vector<KeptUnit> kept_;
  std::vector<KeptUnit> keptLarge_;                        // of gradient() and slopes()
  std::vector<KeptAdjoints> adjoints_;                     // by unit of these
  std::vector<std::vector<PoseCheck>> checks_;             // by unit
  std::vector<std::vector<std::vector<SphereSums>>> sums_; // of a curve: by band, sphere, part
  SceneErrors errors_;
  std::int64_t turn_ = 0;
  std::atomic<bool> leave_{false};
  std::atomic<double> done_{0};
};

/// A library is for one kind of grid and of q; a short z axis may run as points.
Kernel Simulation::State::kernel(const Experiment &e, const Grid &grid) {
  const bool points = grid.kind == Grid::Kind::Points || grid.extents()[2] < 8;
  const auto key = std::tuple(codeOf(e), e.target, e.algorithm, points, grid.complexQ());
  const auto known = libraries_.find(key);
  if (known != libraries_.end())
    return known->second;
  const KernelWanted wanted{e.kernel, e.target, e.algorithm, options_.schedules, options_.say, {}};
  return libraries_.emplace(key, kernelFor(wanted, grid).kernel).first->second;
}

void Simulation::State::update(Experiment experiment) {
  const double memory = experiment.memory.empty() ? freeMemory() : parseBytes(experiment.memory);
  auto next = std::make_unique<ReadyExperiment>(
      std::move(experiment), ready_.get(), memory,
      [this](const Experiment &e, const Grid &grid) { return kernel(e, grid); });
  decider_.reset();
  last.meshes = next->made + (stale_ ? last.meshes : 0);
  ready_ = std::move(next);
  memory_ = memory;
  stale_ = true;
  for (const std::string &warning : ready_->warnings)
    if (options_.say)
      options_.say(warning);
}

bool Simulation::State::holds() const {
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

Queues *Simulation::State::queues(const Kernel &kernel, const std::string &target) {
  const std::lock_guard lock(mutex_);
  if (!runsOnDevice(kernel, target))
    return nullptr;
  if (!queues_)
    queues_ = openQueues(target);
  return queues_.get();
}

SceneMeans Simulation::State::means(std::shared_ptr<Pool> pool) {
  return {*ready_->problem, kernels_,
          [this](const Kernel &k, const std::string &target) { return queues(k, target); },
          std::move(pool)};
}

SceneDecider &Simulation::State::decider() {
  if (!decider_)
    decider_ = std::make_unique<SceneDecider>(DecideWith{
        means(pool_), [this](const Kernel &k) { return planOptionsOf(ready_->experiment, k); },
        options_.say, numbers_, ready_->memoryForSums(memory_)});
  return *decider_;
}

void Simulation::State::setParams() {
  params_.clear();
  for (const Kernel &k : kernels_)
    params_.push_back(k.parameters(ready_->experiment.parameters));
}

void Simulation::State::plan() {
  planned_.reset();
  const int threads = ready_->experiment.threads;
  pool_ = std::make_shared<Pool>(threads > 0 ? threads : usableThreads());
  kernels_ = kernelsOf(
      *ready_->problem, [this](const Grid &grid) { return kernel(ready_->experiment, grid); },
      numbers_);
  Planned made{ready_->structure(), decider().decide(), {}, ready_->reach, {}};
  for (SceneDecision::Way &way : made.decision.ways)
    way.blocks = 0; // no stop has to keep some of the poses: units have all
  for (const Body &body : bodies()) {
    made.radii.push_back(radiusOf(body));
    made.records.push_back(body.mesh.blocks->size());
  }
  planned_ = std::move(made);
  kept_.clear();
  keptLarge_.clear();
  adjoints_.clear();
  checks_.clear();
  last.planned = true;
}

/// The decisions for particles of the sizes that they have now.
SceneDecision Simulation::State::scaled() const {
  SceneDecision now = planned_->decision;
  for (SceneDecision::Way &way : now.ways)
    for (std::size_t b = 0; b < way.parts.size(); ++b)
      if (planned_->radii[b] > 0)
        way.parts[b].how =
            atScale(std::move(way.parts[b].how), radiusOf(bodies()[b]) / planned_->radii[b]);
  return now;
}

bool Simulation::State::keepsRows() const {
  double pixels = 0;
  for (std::size_t i = 0; i < ready_->problem->way.size(); ++i)
    pixels += static_cast<double>(ready_->problem->pixels(i).rows() *
                                  ready_->problem->pixels(i).columns());
  return bytes::ofPixel * pixels * static_cast<double>(bodies().size()) <
         bytes::shareOfKept * memory_;
}

KeepBy Simulation::State::keepBy() const {
  const SceneProblem &problem = *ready_->problem;
  KeepBy by{ready_->rows, {}};
  double q = 0;
  for (const SceneUnit &unit : unitsOf(problem, decision))
    q += sizeOf(problem, unit);
  const double values = bytes::ofComplex * q * static_cast<double>(problem.poses.size());
  by.values = values < bytes::shareOfKept * memory_;
  by.sums = values + bytes::ofPlannedQ * q * static_cast<double>(bodies().size()) <
            bytes::shareOfKept * memory_;
  for (const SceneDecision::Way &way : decision.ways) {
    auto &how = by.how.emplace_back();
    for (const SceneDecision::Part &part : way.parts)
      how.push_back(
          fmt::format("{}; {:a}", toJson(part.how), fmt::join(params_[part.kernel], ", ")));
  }
  return by;
}

std::vector<SimulatedImage> Simulation::State::emptyImages() const {
  std::vector<SimulatedImage> all;
  if (layout().curve)
    return all;
  for (const SceneView &view : layout().images) {
    const Pixels &pixels = *view.pixels;
    SimulatedImage &image = all.emplace_back();
    image.name = "image" + view.suffix;
    image.title = view.title;
    const auto add = [&](bool ofRows) {
      const ImageAxis axis = pixels.axis(ofRows);
      image.axes.push_back({axis.name, axis.unit, axis.values});
    };
    if (pixels.rows() > 1)
      add(true);
    if (pixels.columns() > 1 || pixels.rows() == 1)
      add(false);
    const auto n = static_cast<std::size_t>(pixels.rows() * pixels.columns());
    image.intensity.resize(n);
    image.errors.resize(layout().averaged ? n : 0);
    image.amplitude.resize(layout().amplitude ? n : 0);
  }
  return all;
}

void Simulation::State::store(const SceneUnit &unit, UnitRows &rows,
                              std::vector<SimulatedImage> &to) {
  const Pixels &pixels = ready_->problem->pixels(unit.image);
  if (layout().curve) {
    for (std::int64_t row = unit.begin; row < unit.end; ++row) {
      const std::int64_t parts = pixels.rowsOfSphere(), point = row % parts * pixels.columns();
      sums_[unit.image][static_cast<std::size_t>(row / parts)]
           [static_cast<std::size_t>(row % parts)] =
               SphereSums::of(*pixels.band(), point,
                              rows.intensity.data() + (row - unit.begin) * pixels.columns(),
                              std::min(pixels.columns(), pixels.band()->points() - point));
    }
    return;
  }
  SimulatedImage &image = to[unit.image];
  const std::ptrdiff_t at = unit.begin * pixels.columns();
  std::ranges::copy(rows.intensity, image.intensity.begin() + at);
  if (!image.errors.empty())
    std::ranges::copy(rows.errors, image.errors.begin() + at);
  if (!image.amplitude.empty())
    std::ranges::copy(rows.amplitude, image.amplitude.begin() + at);
}

void Simulation::State::runUnit(UnitEvaluator &evaluator, const std::vector<SceneUnit> &units,
                                std::int64_t number, std::vector<SimulatedImage> &to) {
  const auto k = static_cast<std::size_t>(number);
  std::vector<PoseCheck> found;
  evaluator.check(turn_, &found);
  const std::int64_t count = evaluator.count();
  Partial all;
  evaluator.run(units[k], all);
  UnitRows rows;
  KeptUnit &kept = kept_[k];
  if (const std::string by = fmt::format("{}; {}", ready_->rows, countsPixels());
      kept.scaled != by) {
    kept.scales = scalesOf(*ready_->problem, units[k]);
    kept.scaled = by;
  }
  fillRows(*ready_->problem, units[k], all, rows, &kept.scales);
  store(units[k], rows, to);
  if (evaluator.count() > count || !found.empty())
    checks_[k] = std::move(found);
}

std::vector<std::unique_ptr<UnitEvaluator>> Simulation::State::evaluators(std::int64_t units) {
  const int threads = pool_->size(),
            most = decision.onDevice() ? std::min(Queues::units, threads) : threads,
            workers = static_cast<int>(std::clamp<std::int64_t>(units, 1, most));
  std::vector<std::unique_ptr<UnitEvaluator>> all;
  for (int w = 0; w < workers; ++w) {
    SceneMeans own = means(std::make_shared<Pool>(std::max(1, threads / workers)));
    own.progress = [this](double tqp) { done_ += tqp; };
    own.leave = &leave_;
    all.push_back(std::make_unique<UnitEvaluator>(std::move(own), decision));
  }
  return all;
}

double Simulation::State::workOfAll(const std::vector<SceneUnit> &units) const {
  double all = 0;
  for (const SceneUnit &unit : units)
    all += workOf(*ready_->problem, unit);
  return all;
}

void Simulation::State::computeUnits(const std::vector<SceneUnit> &units,
                                     std::vector<SimulatedImage> &to) {
  const KeepBy by = keepBy();
  const bool keeps = keepsRows();
  const auto workers = evaluators(std::ssize(units));
  const double all = workOfAll(units);
  std::exception_ptr stopped;
  const auto work = [&](std::int64_t k, int worker) {
    UnitEvaluator &evaluator = *workers[static_cast<std::size_t>(worker)];
    evaluator.keep(&by, keeps ? &kept_[static_cast<std::size_t>(k)] : nullptr);
    runUnit(evaluator, units, k, to);
  };
  const auto meanwhile = [&] {
    try {
      if (progress)
        progress(done_, all);
    } catch (...) {
      stopped = std::current_exception();
      leave_ = true;
      throw;
    }
  };
  pool_->limit(static_cast<int>(workers.size()));
  try {
    pool_->run(std::ssize(units), work, meanwhile);
  } catch (...) { // a unit that was left may have failed first
    std::rethrow_exception(stopped ? stopped : std::current_exception());
  }
  for (const auto &evaluator : workers) {
    last.evaluations += evaluator->count();
    last.reused += evaluator->reused();
  }
}

void Simulation::State::compute() {
  setParams();
  decision = scaled();
  const std::vector<SceneUnit> units = unitsOf(*ready_->problem, decision);
  kept_.resize(units.size());
  checks_.resize(units.size());
  std::vector<SimulatedImage> found = emptyImages();
  sums_.clear();
  for (const SceneView &view : layout().images)
    if (const Band *band = view.pixels->band())
      sums_.emplace_back(band->spheres.size(), std::vector<SphereSums>(static_cast<std::size_t>(
                                                   view.pixels->rowsOfSphere())));
  leave_ = false;
  done_ = 0;
  computeUnits(units, found);
  images = std::move(found);
}

std::vector<PoseCheck> Simulation::State::checks() const {
  std::vector<PoseCheck> all;
  for (const auto &unit : checks_)
    all.insert(all.end(), unit.begin(), unit.end());
  return all;
}

/// Whether all is to be computed again, by decisions that are more accurate.
bool Simulation::State::missed(bool fresh) {
  std::vector<PoseCheck> all = checks();
  if (fresh) // what was tried before is judged relative to the largest of all
    std::ranges::move(decider().check(decision, all), std::back_inserter(all));
  errors_ = judge(all, ready_->experiment.accuracy, ready_->experiment.seed);
  if (errors_.missed.empty())
    return false;
  if (!fresh) {
    plan();
    return true;
  }
  bool again = false;
  for (const SceneErrors::Missed &miss : errors_.missed)
    again = decider().sharpen(miss.way, miss.body) || again;
  if (!again)
    throw Error("experiment",
                fmt::format("the measured error is {:.1e} of max|F|, {:.0e} asked for",
                            std::max(errors_.worst->error, errors_.phi),
                            ready_->experiment.accuracy),
                "ask for less: [accuracy] relative, or leave out algorithm and class of [run]",
                Exit::ContractMissed);
  plan();
  return true;
}

void Simulation::State::execute() {
  if (!stale_)
    return;
  const Stopwatch watch;
  last = {0, false, last.meshes, 0, 0};
  if (!holds())
    plan();
  turn_ = (turn_ + 1) % 3;
  do
    compute();
  while (missed(last.planned));
  if (layout().curve)
    setCurve();
  stale_ = false;
  last.seconds = watch.seconds();
  if (last.planned)
    warnOfRule();
}

void Simulation::State::warnOfRule() const {
  if (!options_.say || kernels_.empty())
    return;
  const RuleError rule = ruleOf(kernels_[0], ready_->meshes, params_[0], someOf(*ready_->problem),
                                ready_->experiment.seed, pool_->size());
  if (rule.large())
    options_.say("warning: " + warningOf(rule));
}

void Simulation::State::setCurve() {
  std::vector<double> errors;
  for (std::size_t w = 0; w < ready_->problem->ways(); ++w)
    errors.push_back(errors_.ofWays[static_cast<std::int64_t>(w)]);
  Curve curve = curveOf(layout().curve->q, layout().curve->bands, sums_, errors);
  SimulatedImage &image = images.emplace_back();
  image.name = "sasdata";
  image.axes = {{"Q", "1/nm", curve.q}};
  image.intensity = std::move(curve.intensity);
  image.errors = std::move(curve.deviation);
}

double Simulation::State::error() {
  execute();
  std::vector<PoseCheck> all = checks();
  std::ranges::move(decider().check(decision, all), std::back_inserter(all));
  errors_ = judge(all, ready_->experiment.accuracy, ready_->experiment.seed);
  return errors_.worst ? errors_.worst->error : 0;
}

/// A unit a thread, with one thread each.
void Simulation::State::eachLargeUnit(const std::vector<SceneUnit> &units,
                                      const SceneDecision &large, const UseUnit &use) {
  KeepBy by = keepBy();
  by.values = by.sums = false; // of rows alone
  const bool keeps = keepsRows();
  keptLarge_.resize(units.size());
  adjoints_.resize(units.size());
  const auto work = [&](std::int64_t number, int) {
    const auto k = static_cast<std::size_t>(number);
    UnitEvaluator evaluator(means(std::make_shared<Pool>(1)), large);
    evaluator.keep(&by, keeps ? &keptLarge_[k] : nullptr);
    use(k, evaluator, keeps ? &adjoints_[k] : nullptr);
    done_ += workOf(*ready_->problem, units[k]);
  };
  pool_->limit(decision.onDevice() ? 1 : pool_->size());
  done_ = 0;
  pool_->run(std::ssize(units), work, [&] {
    if (progress)
      progress(done_, workOfAll(units));
  });
}

/// Sums of units are added in their order.
SceneSlopes Simulation::State::sceneSlopes(const std::vector<std::vector<double>> &cotangent,
                                           SceneAdjoint::Options options) {
  const SceneProblem &problem = *ready_->problem;
  const SceneDecision large = withLargeUnits(problem, decision, memory_);
  const std::vector<SceneUnit> units = unitsOf(problem, large);
  options.kernel.options.calls = static_cast<double>(units.size() * problem.poses.size());
  std::vector<std::optional<SceneSlopes>> found(units.size());
  eachLargeUnit(units, large, [&](std::size_t k, UnitEvaluator &evaluator, KeptAdjoints *kept) {
    SceneAdjoint adjoint(problem, options);
    adjoint.add(units[k], evaluator, cotangentOfRows(problem, units[k], cotangent).data(),
                scalesOf(problem, units[k]), kept);
    found[k] = adjoint.take();
  });
  SceneSlopes all = std::move(*found[0]);
  for (std::size_t k = 1; k < found.size(); ++k)
    all.add(*found[k]);
  SceneAdjoint::finish(problem, all);
  return all;
}

SimulatedSlopes Simulation::State::slopes(const std::vector<std::string> &paths) {
  execute();
  const Stopwatch watch;
  const GradientKeys keys(*ready_->problem, paths);
  checkSymmetries(kernels_.at(0), *ready_->problem, keys);
  ImageSlopes::Options options{derivedFrom(ready_->experiment), keys.waves(), {}};
  const auto directions = keys.directions(*kernels_.at(0));
  for (const auto &[path, each] : directions)
    options.directions.insert(options.directions.end(), each.begin(), each.end());
  const SceneDecision large = withLargeUnits(*ready_->problem, decision, memory_);
  const std::vector<SceneUnit> units = unitsOf(*ready_->problem, large);
  SlopesOfImages all(*ready_->problem, images, options.directions.size(), units.size());
  eachLargeUnit(units, large, [&](std::size_t k, UnitEvaluator &evaluator, KeptAdjoints *kept) {
    ImageSlopes slopes(*ready_->problem, options);
    all.add(k, units[k],
            slopes.of(units[k], evaluator, scalesOf(*ready_->problem, units[k]), kept));
  });
  auto found = all.take();
  SimulatedSlopes made;
  std::size_t next = 0;
  for (const auto &[path, each] : directions) {
    made.keys[path].clear();
    for (std::size_t d = 0; d < each.size(); ++d)
      made.keys[path].push_back(std::move(found[next++]));
  }
  made.seconds = watch.seconds();
  return made;
}

SimulatedGradient Simulation::State::gradient(const std::vector<std::vector<double>> &cotangent,
                                              const GradientWanted &wanted) {
  execute();
  const Stopwatch watch;
  checkCotangent(cotangent, images);
  const GradientKeys keys(*ready_->problem, wanted.keys);
  checkSymmetries(kernels_.at(0), *ready_->problem, keys);
  SceneSlopes found =
      sceneSlopes(cotangent, adjointOptions(ready_->experiment, keys, wanted.corners));
  SimulatedGradient made;
  made.keys = keys.of(found);
  made.error = found.error;
  made.corners.resize(wanted.corners ? ready_->experiment.particles.size() : 0);
  for (std::size_t b = 0; b < bodies().size() && wanted.corners; ++b)
    made.corners[bodies()[b].particle] = std::move(found.bodies[b].corners);
  made.seconds = watch.seconds();
  return made;
}

Simulation::Simulation(Experiment experiment, SimulationOptions options)
    : state_(std::make_unique<State>(std::move(experiment), std::move(options))) {}
Simulation::Simulation(Simulation &&) noexcept = default;
Simulation &Simulation::operator=(Simulation &&) noexcept = default;
Simulation::~Simulation() = default;

void Simulation::update(Experiment experiment) { state_->update(std::move(experiment)); }

const std::vector<SimulatedImage> &Simulation::execute() {
  state_->execute();
  return state_->images;
}

const std::vector<SimulatedImage> &Simulation::images() const { return state_->images; }
double Simulation::error() { return state_->error(); }
SimulatedGradient Simulation::gradient(const std::vector<std::vector<double>> &cotangent,
                                       const GradientWanted &wanted) {
  return state_->gradient(cotangent, wanted);
}
SimulatedSlopes Simulation::slopes(const std::vector<std::string> &keys) {
  return state_->slopes(keys);
}
const Experiment &Simulation::experiment() const { return state_->ready().experiment; }
const std::string &Simulation::quantity() const { return state_->layout().quantity; }
const std::string &Simulation::unit() const { return state_->layout().unit; }
const std::string &Simulation::amplitudeName() const { return state_->layout().amplitudeName; }
const std::string &Simulation::amplitudeUnit() const { return state_->layout().amplitudeUnit; }
std::string Simulation::decision() const { return toJson(state_->decision); }
const Simulated &Simulation::last() const { return state_->last; }
void Simulation::setProgress(std::function<void(double, double)> progress) {
  state_->progress = std::move(progress);
}

} // namespace facet::runtime
