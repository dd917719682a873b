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

SceneJob::SceneJob(const Experiment &e, const HowToRun &how, Communicator &ranks)
    : Job(e, how, ranks), scene_(e), problem_(prepared()), file_(e_, problem_.layout) {
  listener_.stage("scene made");
  if (first()) {
    setSizes(sizesOf(problem_));
    std::map<std::pair<bool, bool>, std::optional<Kernel>> libraries;
    const auto libraryFor = [&](const Grid &grid) {
      // A library is for one kind of grid and of q; a short z axis may run as points.
      const bool points = grid.kind == Grid::Kind::Points || grid.extents()[2] < 8;
      const auto [found, fresh] = libraries.try_emplace({points, grid.complexQ()});
      if (fresh)
        found->second = kernelFor(grid);
      return *found->second;
    };
    kernels_ = kernelsOf(problem_, libraryFor, numbers_);
  }
  shareKernels(kernels_);
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
    any.push_back(kernelFor(likelyGrid(e_)));
  shareKernels(any);
  if (columns)
    setRoles(ranks_, rolesOf(*any[0]), inputs_);
  scene_.meshes = inputs_;
  if (curve && first())
    scene_.setSymmetries(any[0]);
  ranks_.broadcast(&scene_.symmetries, sizeof scene_.symmetries);
  listener_.stage("meshes read");
  scene_.setProblem();
  return *scene_.problem;
}

SceneContext SceneJob::context(int threads) {
  return {problem_,
          kernels_,
          [this](const Kernel &kernel, const std::string &target) {
            const std::lock_guard lock(mutex_);
            return queuesOf(kernel, target);
          },
          {.pool = std::make_shared<Pool>(threads)}};
}

void SceneJob::prepare() {
  const std::array<std::int64_t, 3> cut = cutOf(how_.cut);
  const int all = e_.threads > 0 ? e_.threads : usableThreads(); // other ranks wait
  decider_ = std::make_unique<SceneDecider>(
      context(all),
      SceneDecider::Options{[this](const Kernel &kernel) { return planOptions(e_, kernel); },
                            [this](const std::string &text) { listener_.note(text); }, numbers_,
                            scene_.memoryForSums(memory_), cut[0], cut[1], cut[2]});
  warnOfInputs();
  if (derivatives_)
    derivatives_->tryKernel();
}

std::string SceneJob::decide(const std::string &before) {
  if (before.empty())
    return toJson(decider_->decide());
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
  decision_ = sceneDecisionFromJson(decision, e_.output);
  // A decision of another experiment may not fit; that is reported when the result is opened.
  const auto isOfThese = [this](const SceneDecision::Incidence &way) {
    return (way.parts.empty() || way.parts.size() == bodies().size()) &&
           std::ranges::all_of(way.parts, [this](const SceneDecision::BodyDecision &part) {
             return part.kernel < kernels_.size();
           });
  };
  units_ =
      decision_.ways.size() == problem_.ways() && std::ranges::all_of(decision_.ways, isOfThese)
          ? unitsOf(problem_, decision_)
          : std::vector<SceneUnit>();
  sums_ = std::make_unique<PoseSums>(problem_, units_, file_.aside());
  checks_.clear();
  listener_.stage("planned");
  UnitPlan units{{{std::ssize(units_), 1, 1}, {1, 1, 1}}};
  for (const SceneUnit &unit : units_)
    units.work.push_back(workOf(problem_, unit));
  units.text = fmt::format("{} with {} rows", units_.size(), decision_.ways[0].rows);
  const std::int64_t poses = decision_.ways[0].blocks * problem_.posesOfBlock;
  if (poses > 0)
    units.text += fmt::format(" by {} poses", poses);
  units.text += cutTaken(how_.cut, {decision_.ways[0].rows, 0, poses});
  units.parts = sums_->size() > 0 ? 1 : problem_.blocksOfPoses();
  units.ofParts = "poses";
  units.file = file_.tiled();
  units.file.aside = file_.aside() + sums_->size();
  if (derivatives_) {
    derivatives_->take(decision_, [this] { return context(1); }, kernels_);
    derivatives_->addTo(units.file);
  }
  return units;
}

/// Bytes that one evaluator may take, with its unit.
double SceneJob::bytesOfWorker() const {
  double bytes = 1, largest = 0;
  for (const SceneDecision::Incidence &way : decision_.ways)
    for (std::size_t b = 0; b < way.parts.size(); ++b) {
      const SceneDecision::BodyDecision &part = way.parts[b];
      const SceneMesh &mesh = bodies()[b].mesh;
      const double records = mesh.block > 0
                                 ? bytes::ofPosedRecord * static_cast<double>(part.how.cut.records)
                                 : 24.0 * kernels_[part.kernel]->column_count *
                                       static_cast<double>(mesh.blocks->size());
      bytes = std::max(bytes, part.bytes + records);
    }
  for (const SceneUnit &unit : units_) {
    const double row = bytes::ofImageQ * problem_.rowOf(unit.image) +
                       bytes::ofPixel * static_cast<double>(problem_.pixels(unit.image).columns());
    largest = std::max(largest, static_cast<double>(unit.end - unit.begin) * row);
  }
  return bytes + largest;
}

/// As many units are computed at once as fit the memory.
Workers SceneJob::workers(std::size_t todo) const {
  const double fit =
      (bytes::shareOfWorkers * memory_ - bytes::program - scene_.bytesOfMeshes()) / bytesOfWorker();
  const double useful = decision_.onDevice() ? Queues::units : 1024;
  const int most = static_cast<int>(std::clamp(fit, 1.0, useful));
  const int n =
      std::clamp(std::min(most, static_cast<int>(std::min<std::size_t>(todo, 1024))), 1, threads_);
  Workers all{n, std::max(1, threads_ / n)};
  double seconds = 0; // of all units, by one thread
  for (const SceneDecision::Incidence &way : decision_.ways)
    seconds += way.seconds;
  all.seconds = seconds / (static_cast<double>(units_.size()) * all.inside);
  return all;
}

std::string SceneJob::called() const {
  return problem_.isCurve() ? fmt::format("curve of {} q, units: ", problem_.layout.curve->q.size())
                            : "";
}

OneUnit SceneJob::worker(const Attempt &attempt, const std::atomic<bool> *leave) {
  SceneContext own = context(attempt.workers.inside);
  own.resources.progress = attempt.progress;
  own.resources.leave = leave;
  const auto evaluator = std::make_shared<UnitEvaluator>(std::move(own), decision_);
  evaluator->share(attempt.shared.get());
  return [this, &attempt, evaluator, all = Partial(), rows = UnitRows()](std::int64_t k) mutable {
    const SceneUnit &unit = units_[static_cast<std::size_t>(k)];
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
  // Errors are relative to the largest F of all units, which is known only now.
  std::ranges::move(decider_->check(decision_, checks_), std::back_inserter(checks_));
  errors_ = runtime::judge(checks_, e_.accuracy, e_.seed);
  bool again = false;
  for (const SceneErrors::Missed &missed : errors_.missed)
    again = decider_->sharpen(missed.way, missed.body) || again;
  if (again && errors_.worst)
    listener_.note(fmt::format("the contract was missed ({:.1e} of max|{}|, asked {:.0e}): "
                               "running again, more accurately",
                               std::max(errors_.phi, errors_.worst->error),
                               problem_.layout.amplitudeName, e_.accuracy));
  if (!again) // writes rows of which no unit had all poses
    sums_->join(attempt.result, [&](const SceneUnit &unit, const UnitRows &rows) {
      file_.write(attempt.result, -1, unit.image, unit.begin, unit.end, rows);
    });
  return again;
}

std::unique_ptr<Job> sceneJob(const Experiment &e, const HowToRun &how, Communicator &ranks) {
  return std::make_unique<SceneJob>(e, how, ranks);
}

} // namespace facet::cli
