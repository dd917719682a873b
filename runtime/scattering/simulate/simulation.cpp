// simulation.cpp - computes again what has changed, until the contract is met; what images change
// by.
#include "runtime/engine/kernel/kernel_for.h"
#include "runtime/engine/system/clock.h"
#include "runtime/engine/system/machine.h"
#include "runtime/scattering/derive/how_to_derive.h"
#include "runtime/scattering/derive/image_slopes.h"
#include "runtime/scattering/scene/remarks.h"
#include "runtime/scattering/simulate/decisions.h"
#include "runtime/scattering/simulate/units.h"
#include <algorithm>
#include <facet/runtime/error.h>
#include <fmt/format.h>

namespace facet::runtime {

class Simulation::State {
public:
  State(Experiment experiment, SimulationOptions options, const Mesh *mesh)
      : options_(std::move(options)) {
    if (!options_.decisions.empty()) {
      const DecisionStore store = DecisionStore::of(options_.decisions);
      target_ = store.decisions.empty() ? "" : store.decisions.front().target();
    }
    update(std::move(experiment), mesh);
    if (!options_.decisions.empty())
      follow(options_.decisions);
  }

  void update(Experiment experiment, const Mesh *mesh);
  void execute();
  double error();
  SimulatedGradient gradient(const std::vector<std::vector<double>> &cotangent,
                             const GradientWanted &wanted);
  SimulatedSlopes slopes(const std::vector<std::string> &keys);
  const SceneLayout &layout() const { return inputs_->problem->layout; }
  const SimulationInputs &inputs() const { return *inputs_; }
  const SceneDecision &decision() const { return run_.decision(); }
  std::string decisions() const { return store_.decisions.empty() ? "" : store_.toJson(); }
  void follow(const std::string &decisions);

  std::vector<SimulatedImage> images;
  Simulated last;
  SimulationUnits::Progress progress;

private:
  double memoryFor(const Experiment &experiment);
  void keepGroups(const std::vector<std::string> &paths, bool corners);
  void plan();
  bool findDecision();
  void compute();
  bool missed(bool fresh);
  void judge(bool spread) { run_.judge(units_.checks(), spread); }
  void setCurve();
  void record();
  void warnOfRule();
  void warnOfCounts() const;
  SceneCotangent sceneCotangent(const std::vector<std::vector<double>> &cotangent,
                                SceneAdjoint::Options options);

  const SimulationOptions options_;
  SceneRun run_{{.find =
                     [this](const Experiment &e, const Grid &grid) {
                       const std::string &target = e.target.empty() ? target_ : e.target;
                       return kernelFor(
                                  {e.kernel, target, e.algorithm, options_.schedules, options_.say},
                                  grid)
                           .kernel;
                     },
                 .say = options_.say,
                 .often = options_.fit}};
  std::unique_ptr<SimulationInputs> inputs_;
  DecisionStore store_;
  std::string followed_; // of which store_ is, but for its turn; "": it has changed since
  std::int64_t followedTurn_ = 0;
  std::string target_; // of what it was made to go on as
  SimulationUnits units_{run_};
  bool stale_ = true;
  double memory_ = 0; // bytes allowed
  double free_ = 0;   // bytes of memory, as it was when looked_ began
  Stopwatch looked_;
};

/// To ask the system takes a tenth of a small step: it is asked once a second.
double Simulation::State::memoryFor(const Experiment &experiment) {
  if (!experiment.memory.empty())
    return parseBytes(experiment.memory);
  if (free_ == 0 || looked_.seconds() > 1) {
    free_ = freeMemory();
    looked_ = Stopwatch();
  }
  return free_;
}

void Simulation::State::update(Experiment experiment, const Mesh *mesh) {
  if (!options_.fit || inputs_ == nullptr)
    memory_ = memoryFor(experiment);
  const SimulationInputs::FitStep fit{mesh, !store_.known};
  auto next = std::make_unique<SimulationInputs>(std::move(experiment), inputs_.get(), memory_,
                                                 run_, options_.fit ? &fit : nullptr, store_.whole);
  last.meshes = next->made + (stale_ ? last.meshes : 0);
  run_.setScene(*next, memory_);
  units_.setInputs(*next);
  inputs_ = std::move(next);
  stale_ = true;
  for (const std::string &warning : inputs_->warnings)
    if (options_.say)
      options_.say(warning);
}

/// Only its turn is taken where nothing was decided since it was followed: what units keep holds.
void Simulation::State::follow(const std::string &decisions) {
  if (decisions == followed_) {
    store_.turn = followedTurn_;
    return;
  }
  DecisionStore other = DecisionStore::of(decisions);
  std::swap(store_, other);
  if (store_.whole != other.whole)
    update(inputs_->experiment, nullptr);
  inputs_->setProblem(!store_.known);
  run_.setScene(*inputs_, memory_);
  run_.findKernels();
  units_.forget();
  stale_ = true;
  followed_ = decisions;
  followedTurn_ = store_.turn;
}

/// Computes whole averages from now on, if a derivative is by what may break a point group.
void Simulation::State::keepGroups(const std::vector<std::string> &paths, bool corners) {
  const auto hasGroup = [](const SceneMesh &mesh) { return mesh.group.order() > 1; };
  if (std::ranges::any_of(inputs_->meshes, hasGroup) &&
      (corners || GradientKeys(*inputs_->problem, paths).breakSymmetry())) {
    store_.whole = true;
    followed_.clear();
    update(inputs_->experiment, nullptr);
  }
  execute();
}

/// Whether there is a decision that holds: it becomes the first.
bool Simulation::State::findDecision() {
  const auto found = std::ranges::find_if(
      store_.decisions, [&](const ReusableDecision &one) { return one.holds(*inputs_); });
  if (found == store_.decisions.end())
    return false;
  if (found != store_.decisions.begin()) {
    std::rotate(store_.decisions.begin(), found, found + 1);
    followed_.clear();
    units_.forget();
  }
  return true;
}

void Simulation::State::plan() {
  followed_.clear();
  if (store_.known) {
    store_.known = false;
    inputs_->setProblem(true);
    run_.setScene(*inputs_, memory_);
  }
  run_.findKernels();
  SceneDecision decision = run_.decide();
  std::erase_if(store_.decisions,
                [&](const ReusableDecision &one) { return !options_.fit || one.holds(*inputs_); });
  store_.decisions.emplace_front(*inputs_, std::move(decision));
  units_.forget();
  last.planned = true;
}

void Simulation::State::compute() {
  run_.follow(store_.decisions.front().scaled(*inputs_));
  images = units_.compute(store_.known ? -1 : store_.turn, progress, last);
}

/// Whether all is to be computed again, by decisions that are more accurate.
bool Simulation::State::missed(bool fresh) {
  judge(fresh);
  if (run_.errors().missed.empty())
    return false;
  if (fresh && !run_.sharpen())
    throw Error("experiment",
                fmt::format("the measured error is {:.1e} of max|F|, {:.0e} asked for",
                            run_.error(), inputs_->experiment.accuracy),
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
  if (!findDecision())
    plan();
  store_.turn = (store_.turn + 1) % 3;
  do
    compute();
  while (!store_.known && missed(last.planned));
  if (layout().curve)
    setCurve();
  if (layout().blurs())
    record();
  store_.known = options_.fit;
  stale_ = false;
  last.seconds = watch.seconds();
  if (last.planned) {
    warnOfRule();
    warnOfCounts();
  }
}

/// Once a plan.
void Simulation::State::warnOfCounts() const {
  double largest = 0; // pixels behind the sample are NaN
  for (const SimulatedImage &image : images)
    for (const double intensity : image.intensity)
      largest = intensity > largest ? intensity : largest;
  const auto remark = remarkOnCounts(layout(), largest, inputs().experiment.photons());
  if (remark && options_.say)
    options_.say(fmt::format("warning: {}\n  help: {}", remark->text, remark->help));
}

/// Once a plan.
void Simulation::State::warnOfRule() {
  if (!options_.say || run_.kernels().empty())
    return;
  const RuleError rule =
      ruleOf(run_.kernels()[0], inputs_->meshes, run_.paramsOf(0), someOf(*inputs_->problem),
             inputs_->experiment.seed, run_.pool()->size());
  if (rule.large())
    options_.say("warning: " + warningOf(rule));
}

void Simulation::State::setCurve() {
  Curve curve = curveOf(*layout().curve, units_.sums(), run_.errorsOfBands());
  SimulatedImage &image = images.emplace_back();
  image.name = "sasdata";
  image.axes = {{"Q", "1/nm", curve.q}};
  image.intensity = std::move(curve.intensity);
  image.directions = std::move(curve.directions);
  if (!store_.known)
    image.errors = std::move(curve.deviation);
}

/// Images as they are recorded, in the place of those that were computed.
void Simulation::State::record() {
  std::vector<SimulatedImage> recorded;
  for (std::size_t i = 0; i < layout().seen().size(); ++i) {
    SharpImage image = recordedOf(layout(), i, [&](std::size_t beam) {
      return SharpImage{images[beam].intensity, images[beam].errors};
    });
    recorded.push_back(images[i * images.size() / layout().seen().size()]);
    recorded[i].intensity = std::move(image.intensity);
    recorded[i].errors = std::move(image.errors);
  }
  images = std::move(recorded);
}

double Simulation::State::error() {
  execute();
  judge(true);
  return run_.errors().worst ? run_.errors().worst->error : 0;
}

/// Sums of units are added in their order.
SceneCotangent Simulation::State::sceneCotangent(const std::vector<std::vector<double>> &cotangent,
                                                 SceneAdjoint::Options options) {
  const SceneProblem &problem = *inputs_->problem;
  const SceneDecision large = withLargeUnits(problem, decision(), run_.memory());
  const std::vector<SceneUnit> units = unitsOf(problem, large);
  options.kernel.options.calls = static_cast<double>(units.size() * problem.poses.size());
  std::vector<std::optional<SceneCotangent>> found(units.size());
  units_.eachLarge(
      units, large, progress, [&](std::size_t k, UnitEvaluator &evaluator, BodyAdjoints *kept) {
        SceneAdjoint adjoint(problem, options);
        adjoint.add(units[k], evaluator, cotangentOfRows(problem, units[k], cotangent).data(),
                    scalesOf(problem, units[k]), kept);
        found[k] = adjoint.take();
      });
  SceneCotangent all = std::move(*found[0]);
  for (std::size_t k = 1; k < found.size(); ++k)
    all.add(*found[k]);
  SceneAdjoint::finish(problem, all);
  return all;
}

SimulatedSlopes Simulation::State::slopes(const std::vector<std::string> &paths) {
  keepGroups(paths, false);
  const Stopwatch watch;
  const SceneProblem &problem = *inputs_->problem;
  const GradientKeys keys(problem, paths);
  checkSymmetries(run_.kernels().at(0), problem, keys);
  ImageSlopes::Options options{kernelSource(inputs_->experiment), keys.waves(), {}};
  const auto directions = keys.directions(*run_.kernels().at(0));
  for (const auto &[path, each] : directions)
    options.directions.insert(options.directions.end(), each.begin(), each.end());
  const SceneDecision large = withLargeUnits(problem, decision(), run_.memory());
  const std::vector<SceneUnit> units = unitsOf(problem, large);
  SlopesOfImages all(problem, images, options.directions.size(), units.size());
  units_.eachLarge(
      units, large, progress, [&](std::size_t k, UnitEvaluator &evaluator, BodyAdjoints *kept) {
        ImageSlopes slopes(problem, options);
        all.add(k, units[k], slopes.of(units[k], evaluator, scalesOf(problem, units[k]), kept));
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
  keepGroups(wanted.keys, wanted.corners);
  const Stopwatch watch;
  checkCotangent(cotangent, images);
  if (wanted.corners)
    checkCorners(*inputs_->problem);
  const GradientKeys keys(*inputs_->problem, wanted.keys);
  checkSymmetries(run_.kernels().at(0), *inputs_->problem, keys);
  std::vector<std::vector<double>> by;
  for (std::size_t i = 0; i < cotangent.size() && layout().blurs(); ++i)
    std::ranges::move(pullRecorded(layout(), i, cotangent[i], images[i].intensity),
                      std::back_inserter(by));
  SceneCotangent found = sceneCotangent(
      layout().blurs() ? by : cotangent,
      adjointOptions(inputs_->experiment, keys, wanted.corners, &*run_.kernels().at(0)));
  SimulatedGradient made;
  made.keys = keys.of(found);
  made.error = found.error;
  made.corners.resize(wanted.corners ? inputs_->experiment.particles.size() : 0);
  if (wanted.corners)
    for (auto &[particle, corners] : SceneAdjoint::corners(*inputs_->problem, found))
      made.corners[particle] = std::move(corners);
  made.seconds = watch.seconds();
  return made;
}

Simulation::Simulation(Experiment experiment, SimulationOptions options, const Mesh *mesh)
    : state_(std::make_unique<State>(std::move(experiment), std::move(options), mesh)) {}
Simulation::Simulation(Simulation &&) noexcept = default;
Simulation &Simulation::operator=(Simulation &&) noexcept = default;
Simulation::~Simulation() = default;

void Simulation::update(Experiment experiment, const Mesh *mesh) {
  state_->update(std::move(experiment), mesh);
}

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
std::vector<std::vector<double>> Simulation::structure() const {
  const SceneLayout &layout = state_->layout();
  std::vector<std::vector<double>> all;
  if (layout.curve && !layout.curve->structure.empty())
    all.push_back(layout.curve->structure);
  for (const SceneView &view : layout.seen()) {
    if (layout.structure == nullptr)
      break;
    const std::int64_t n = view.pixels->rows() * view.pixels->columns();
    structureAt(*layout.structure, *view.pixels, 0, n, usableThreads(),
                all.emplace_back(static_cast<std::size_t>(n)).data());
  }
  return all;
}
const Experiment &Simulation::experiment() const { return state_->inputs().experiment; }
const std::string &Simulation::quantity() const { return state_->layout().quantity; }
const std::string &Simulation::unit() const { return state_->layout().unit; }
const std::string &Simulation::amplitudeName() const { return state_->layout().amplitudeName; }
const std::string &Simulation::amplitudeUnit() const { return state_->layout().amplitudeUnit; }
std::string Simulation::decision() const { return toJson(state_->decision()); }
std::string Simulation::decisions() const { return state_->decisions(); }
void Simulation::follow(const std::string &decisions) { state_->follow(decisions); }
const Simulated &Simulation::last() const { return state_->last; }
void Simulation::setProgress(std::function<void(double, double)> progress) {
  state_->progress = std::move(progress);
}

} // namespace facet::runtime
