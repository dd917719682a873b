// scene_job.cpp - the inputs of an experiment; its units decided, computed, judged.
#include "runtime/app/jobs/scene_job.h"
#include "runtime/engine/kernel/inside.h"
#include "runtime/engine/store/identity.h"
#include "runtime/engine/sum/queues.h"
#include "runtime/engine/system/machine.h"
#include "runtime/scattering/scene/budget.h"
#include <algorithm>
#include <bit>
#include <charconv>
#include <fmt/format.h>

namespace facet::cli {
using namespace facet::runtime;
namespace {

/// "R,H,P": rows of a unit, records of a t block, poses of a unit.
std::array<std::int64_t, 3> cutOf(const std::string &text) {
  std::array<std::int64_t, 3> cut{};
  const char *at = text.data(), *end = at + text.size();
  for (std::size_t k = 0; k < 3 && at < end; ++k) {
    const auto [next, error] = std::from_chars(at, end, cut[k]);
    if (error != std::errc() || cut[k] < 0 || cut[k] > 1000000000 ||
        (next < end && (*next != ',' || k == 2)))
      throw Error(fmt::format("cut '{}'", text), "is not what the cut of an experiment is given by",
                  "write R,H,P: rows of an image in a unit, records of a block, poses of a unit; 0 "
                  "for the default");
    at = next < end ? next + 1 : end;
  }
  return cut;
}

} // namespace

SceneJob::SceneJob(const Experiment &e, const JobOptions &how, Communicator &ranks)
    : Job(e, how, ranks), scene_(e), run_(tools()), problem_(prepared()),
      file_(e_, problem_.layout) {
  listener_.stage("scene made");
  run_.setScene(scene_, memory_);
  if (run_.bytesOfRecorded() > memory_)
    throw Error("image",
                fmt::format("the largest takes {} of memory while it is made of its beams or "
                            "spread, {} allowed",
                            showBytes(run_.bytesOfRecorded()), showBytes(memory_)),
                "leave out [resolution], or allow more: [run] memory");
  if (first()) {
    setSizes(sizesOf(problem_));
    run_.findKernels();
    kernels_ = run_.kernels();
  }
  shareKernels(kernels_);
  run_.setKernels(kernels_);
  if (!e_.points.empty())
    gridHash_ = runtime::hashOf(makeGrid(e_));
  if (!how_.gradientOf.empty())
    setDerivatives();
}

void SceneJob::setDerivatives() {
  derivatives_ = std::make_unique<SceneDerivatives>(how_, problem_, file_, threads_, memory_);
  if (first())
    observedHash_ = derivatives_->hash(e_);
  ranks_.broadcast(observedHash_);
}

/// Reads the meshes, and finds what the kernel says of them before the grids are known: the roles
/// of their columns, and how F of a curve's particle answers.
const SceneProblem &SceneJob::prepared() {
  if (memory_ <= 0)
    memory_ = freeMemory() / ranks_.localSize();
  inputs_ = meshesOf(ranks_, e_, memory_);
  const bool curve = !e_.curve.empty(), columns = haveColumns(inputs_);
  std::vector<Kernel> any;
  // If the scene needs another library, there is one compilation more, once.
  if ((curve || columns) && first())
    any.push_back(run_.kernel(e_, likelyGrid(e_)));
  shareKernels(any);
  if (columns)
    setRoles(ranks_, rolesOf(*any[0]), inputs_);
  scene_.meshes = inputs_;
  if (curve && first())
    scene_.setSymmetries(any[0]);
  ranks_.broadcast(&scene_.symmetries, sizeof scene_.symmetries);
  setGroups();
  listener_.stage("meshes read");
  scene_.setProblem();
  return *scene_.problem;
}

/// All ranks together. What derivatives are by may break a symmetry: they take the whole average.
void SceneJob::setGroups() {
  if (first() && how_.gradientOf.empty())
    scene_.setGroups([this] { return run_.kernel(e_, likelyGrid(e_)); });
  for (SceneMesh &mesh : scene_.meshes)
    ranks_.broadcast(mesh.group.rotations);
}

SceneRun::Tools SceneJob::tools() {
  return {[this](const Experiment & /*e_*/, const Grid &grid) { return kernelFor(grid); },
          [this](const Experiment &e, const Kernel &kernel) { return planOptions(e, kernel); },
          [this](const std::string &text) { listener_.note(text); }};
}

void SceneJob::prepare() {
  run_.setCut(cutOf(how_.cut));
  warnOfInputs();
  if (derivatives_)
    derivatives_->tryKernel();
}

std::string SceneJob::decide(const std::string &before) {
  if (before.empty())
    return toJson(run_.decide());
  const SceneDecision decision = sceneDecisionFromJson(before, e_.output);
  const std::int64_t rows = cutOf(how_.cut)[0];
  for (const SceneDecision::Incidence &way : decision.ways)
    for (const SceneDecision::BodyDecision &part : way.parts) {
      if (part.kernel >= kernels_.size())
        continue; // another kernel, which is named when the result is opened
      const PlanOptions options = planOptions(e_, kernels_[part.kernel]);
      if ((options.algorithm && *options.algorithm != part.how.algorithm) ||
          (options.klass && *options.klass != part.how.klass) || (rows > 0 && rows < way.rows))
        throw Error(e_.output,
                    fmt::format("the stopped run was planned otherwise: {}, {}, units of {} rows",
                                algorithmName(part.how.algorithm), className(part.how.klass),
                                way.rows),
                    "resume with the same --algorithm, --class and --cut, or begin anew with "
                    "--overwrite");
    }
  return before;
}

UnitPlan SceneJob::take(const std::string &decision) {
  // A decision of another experiment may not fit; that is reported when the result is opened.
  run_.follow(sceneDecisionFromJson(decision, e_.output));
  const std::vector<SceneUnit> &all = run_.units();
  const SceneDecision::Incidence &incidence = run_.decision().ways[0];
  sums_ = std::make_unique<PoseSums>(problem_, all, file_.aside());
  checks_.clear();
  listener_.stage("planned");
  UnitPlan units{{{std::ssize(all), 1, 1}, {1, 1, 1}}};
  for (const SceneUnit &unit : all)
    units.work.push_back(workOf(problem_, unit));
  units.text = fmt::format("{} with {} rows", all.size(), incidence.rows);
  const std::int64_t poses = incidence.blocks * problem_.posesOfBlock;
  if (poses > 0)
    units.text += fmt::format(" by {} poses", poses);
  units.text += cutTaken(how_.cut, {incidence.rows, 0, poses});
  units.parts = sums_->size() > 0 ? 1 : problem_.blocksOfPoses();
  units.ofParts = "poses";
  units.file = file_.tiled();
  units.file.aside = file_.aside() + sums_->size();
  if (derivatives_) {
    derivatives_->take(run_);
    derivatives_->addTo(units.file);
  }
  return units;
}

/// As many units are computed at once as fit the memory.
Workers SceneJob::workers(std::size_t todo) const {
  const double fit = (bytes::shareOfWorkers * memory_ - bytes::program - scene_.bytesOfMeshes()) /
                     run_.bytesOfEvaluator();
  const double useful = run_.decision().onDevice() ? Queues::units : 1024;
  const int most = static_cast<int>(std::clamp(fit, 1.0, useful));
  const int n =
      std::clamp(std::min(most, static_cast<int>(std::min<std::size_t>(todo, 1024))), 1, threads_);
  Workers all{n, std::max(1, threads_ / n)};
  double seconds = 0; // of all units, by one thread
  for (const SceneDecision::Incidence &way : run_.decision().ways)
    seconds += way.seconds;
  all.seconds = seconds / (static_cast<double>(run_.units().size()) * all.inside);
  return all;
}

std::string SceneJob::called() const {
  return problem_.isCurve() ? fmt::format("curve of {}, units: ", textOf(*problem_.layout.curve))
                            : "";
}

OneUnit SceneJob::worker(const Attempt &attempt, const std::atomic<bool> *leave) {
  SceneContext own = run_.context(attempt.workers.inside);
  own.resources.progress = attempt.progress;
  own.resources.leave = leave;
  const auto evaluator = std::make_shared<UnitEvaluator>(std::move(own), run_.decision());
  evaluator->share(attempt.shared.get());
  return [this, &attempt, evaluator, all = Partial(), rows = UnitRows()](std::int64_t k) mutable {
    const SceneUnit &unit = run_.units()[static_cast<std::size_t>(k)];
    std::vector<PoseCheck> found;
    // Checks the first units and then ever fewer of them, in each the next pose.
    const auto n = static_cast<std::uint64_t>(k);
    const bool ofBand = problem_.isCurve() && unit.begin == 0; // the first unit of each band
    evaluator->check((n & (n - 1)) == 0 || ofBand ? std::bit_width(n) : -1, &found);
    const std::int64_t count = evaluator->count(), repaired = evaluator->repaired();
    if (evaluator->run(unit, all)) {
      if (sums_->keeps(k)) {
        sums_->write(attempt.result, k, all);
      } else {
        fillRows(problem_, unit, all, rows);
        file_.write(attempt.result, k, unit.image, unit.begin, unit.end, rows);
      }
      attempt.result.finishUnit(k);
    }
    const std::lock_guard lock(mutex_);
    attempt.count(static_cast<double>(evaluator->count() - count),
                  static_cast<double>(evaluator->repaired() - repaired));
    std::move(found.begin(), found.end(), std::back_inserter(checks_));
  };
}

bool SceneJob::judge(const Attempt &attempt, const RunTotals & /*totals*/) {
  for (const std::string &bytes : ranks_.gather(first() ? "" : packed(checks_)))
    std::ranges::move(unpackedChecks(bytes), std::back_inserter(checks_));
  if (!first())
    return false;
  run_.judge(std::move(checks_), true);
  const bool again = !attempt.last && run_.sharpen();
  if (again && run_.errors().worst)
    listener_.note(fmt::format("the contract was missed ({:.1e} of max|{}|, asked {:.0e}): "
                               "running again, more accurately",
                               run_.error(), problem_.layout.amplitudeName, e_.accuracy));
  if (!again) // writes rows of which no unit had all poses
    sums_->join(attempt.result, [&](const SceneUnit &unit, const UnitRows &rows) {
      file_.write(attempt.result, -1, unit.image, unit.begin, unit.end, rows);
    });
  return again;
}

std::unique_ptr<Job> sceneJob(const Experiment &e, const JobOptions &how, Communicator &ranks) {
  return std::make_unique<SceneJob>(e, how, ranks);
}

} // namespace facet::cli
