// carry_out.cpp - decides or resumes, runs the units of a scene, judges, goes on more accurately.
#include "runtime/cli/scene/carry_out.h"
#include "runtime/blocks/mpi/blocks.h"
#include "runtime/blocks/shares.h"
#include "runtime/blocks/take_units.h"
#include "runtime/cli/input/sanity.h"
#include "runtime/cli/scene/identity.h"
#include "runtime/cli/scene/workers.h"
#include "runtime/cli/timings.h"
#include "runtime/files/clock.h"
#include "runtime/files/stop_request.h"
#include <algorithm>
#include <atomic>
#include <bit>
#include <charconv>
#include <fmt/format.h>
#include <mutex>
#include <numeric>
#include <set>

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

class Carry {
public:
  explicit Carry(const SceneTask &task) : t_(task), first_(task.ranks.rank() == 0) {
    if (first_)
      kernels_ = kernelsOf(t_.problem, t_.host.host, numbers_);
    shareKernels(t_.ranks, kernels_);
    for (const Kernel &kernel : kernels_)
      params_.push_back(kernel.parameters(t_.problem.experiment.parameters));
    if (first_) {
      const std::array<std::int64_t, 3> cut = cutOf(t_.how.cut);
      decider_ = std::make_unique<SceneDecider>(t_.problem,
                                                DecideWith{t_.host.host, kernels_, numbers_,
                                                           memoryForSums(t_.meshes, t_.memory),
                                                           cut[0], cut[1], cut[2], queuesHere()});
      for (const MeshInput &mesh : t_.meshes.inputs)
        warnOfMesh(kernels_[0], mesh);
      for (const Particle &particle : t_.problem.experiment.particles)
        warnOfColumns(kernels_[0], particle.columns);
    }
  }

  SceneCarried run() {
    const std::string &path = t_.problem.experiment.output;
    found_.problem = problemOf(identityOf(t_.problem.experiment, kernels_, t_.meshes.hash, ""));
    if (first_)
      found_.kernel = kernels_[0]->name;
    char finished = first_ && t_.how.resume && finishedBefore(path) ? 1 : 0;
    t_.ranks.broadcast(&finished, 1);
    found_.finishedBefore = finished != 0;
    if (found_.finishedBefore)
      return std::move(found_);
    bool resume = t_.how.resume, overwrite = t_.how.overwrite;
    while (true) {
      const bool stopped = !attempt(resume, overwrite);
      if (stopped && first_)
        throw found_.result->stopped();
      if (stopped)
        return std::move(found_);
      char again = first_ && goOn() ? 1 : 0;
      t_.ranks.broadcast(&again, 1);
      if (again == 0) {
        if (first_)
          joinPoses();
        return std::move(found_);
      }
      found_.result.reset();
      t_.ranks.barrier(); // nobody holds a journal
      resume = false;
      overwrite = true;
    }
  }

private:
  /// Whether a finished result lies there. Throws Error where it is of another problem.
  bool finishedBefore(const std::string &path) const {
    if (findResult(path).state != FoundResult::State::Finished)
      return false;
    if (provenanceOf(path, "problem") == found_.problem)
      return true;
    throw Error(path, "holds the finished result of another experiment",
                "leave out --resume to overwrite it, or write somewhere else with -o FILE");
  }

  std::function<Queues *(const Kernel &, const std::string &)> queuesHere() {
    return [this](const Kernel &kernel, const std::string &target) {
      return t_.host.queuesOf(kernel, target);
    };
  }

  /// On rank 0. A stopped run goes on by the plan it was begun with: another could have other bits.
  SceneDecision decide(bool resume, std::string &text) {
    const std::string &path = t_.problem.experiment.output;
    const FoundResult before = resume ? findResult(path) : FoundResult();
    const auto found = before.identity.find("plan");
    if (found == before.identity.end()) {
      const SceneDecision decision = decider_->decide();
      text = toJson(decision);
      return decision;
    }
    text = found->second;
    const SceneDecision decision = sceneDecisionFromJson(text, path);
    const std::array<std::int64_t, 3> cut = cutOf(t_.how.cut);
    for (const SceneDecision::Way &way : decision.ways)
      for (const SceneDecision::Part &part : way.parts) {
        if (part.kernel >= kernels_.size())
          continue; // another kernel, which is named below
        const PlanOptions options = t_.host.host.options(kernels_[part.kernel]);
        if ((options.algorithm && *options.algorithm != part.how.algorithm) ||
            (options.klass && *options.klass != part.how.klass) ||
            (cut[0] > 0 && cut[0] < way.rows))
          throw Error(path,
                      fmt::format("the stopped run was planned otherwise: {}, {}, units of {} rows",
                                  algorithmName(part.how.algorithm), className(part.how.klass),
                                  way.rows),
                      "resume with the same --algorithm, --class and --cut, or begin anew with "
                      "--overwrite");
      }
    return decision;
  }

  /// False: asked to stop.
  bool attempt(bool resume, bool overwrite) {
    const std::string &path = t_.problem.experiment.output;
    std::string text;
    if (first_)
      decide(resume, text);
    t_.ranks.broadcast(text);
    stage("planned");
    const SceneDecision decision = sceneDecisionFromJson(text, path);
    const Identity identity = identityOf(t_.problem.experiment, kernels_, t_.meshes.hash, text);
    TiledFile file = t_.file.tiled();
    std::vector<SceneUnit> &units = units_;
    units.clear();
    std::string done; // '1': by an earlier run
    if (first_) {
      TiledOptions options;
      options.overwrite = overwrite;
      // Another experiment may have other images: its parts are compared before its units.
      if (decision.ways.size() == t_.problem.ways())
        units = unitsOf(t_.problem, decision);
      file.aside = PoseSums(t_.problem, units).size();
      const auto n = static_cast<std::int64_t>(units.size());
      found_.result = std::make_unique<TiledResult>(
          resume ? TiledResult::resume(path, file, identity, n, options)
                 : TiledResult::create(path, file, identity, n, options));
      for (const std::string &note : found_.result->notes())
        t_.host.host.say(note);
      for (const bool unit : found_.result->done())
        done += unit ? '1' : '0';
    }
    t_.ranks.broadcast(done);
    units = unitsOf(t_.problem, decision);
    sums_ = std::make_unique<PoseSums>(t_.problem, units);
    file.aside = sums_->size();
    std::vector<bool> before;
    std::vector<double> costs;
    for (std::size_t k = 0; k < units.size(); ++k) {
      before.push_back(done[k] == '1');
      costs.push_back(before[k] ? 0 : workOf(t_.problem, units[k]));
    }
    if (!first_)
      found_.result = std::make_unique<TiledResult>(TiledResult::join(
          path, file, identity, static_cast<std::int64_t>(units.size()), t_.ranks.rank(), before));
    const Units line({static_cast<std::int64_t>(units.size()), 1, 1}, {{1, 1, 1}, 0});
    std::vector<std::int64_t> todo = Shares(line, t_.ranks.size(), costs).of(t_.ranks.rank());
    std::erase_if(todo, [&](std::int64_t k) { return before[static_cast<std::size_t>(k)]; });
    const bool shared = sharePoses(before, todo);
    found_.units = fmt::format("{} of {} rows", units.size(), decision.ways[0].rows);
    if (const std::int64_t blocks = decision.ways[0].blocks; blocks > 0)
      found_.units += fmt::format(" by {} poses", blocks * t_.problem.posesOfBlock);
    if (t_.ranks.size() > 1)
      found_.units +=
          fmt::format("; {} ranks{}", t_.ranks.size(), shared ? ", which share poses" : "");
    if (const auto n = std::count(done.begin(), done.end(), '1'); n > 0)
      found_.units += fmt::format("; {} of them finished before", n);
    checks_.clear();
    // What a part of a run has found is judged relative to the largest of all.
    if (first_)
      checks_ = decider_->check(decision);
    return compute(decision, units, costs, todo);
  }

  /// Where ranks outnumber the units, they share the poses of each; `todo`: this rank's unit.
  bool sharePoses(const std::vector<bool> &before, std::vector<std::int64_t> &todo) {
    std::vector<std::int64_t> left;
    for (std::size_t k = 0; k < before.size(); ++k)
      if (!before[k])
        left.push_back(static_cast<std::int64_t>(k));
    shared_.reset();
    const std::int64_t blocks = t_.problem.blocksOfPoses();
    const auto units = static_cast<std::int64_t>(left.size());
    if (sums_->size() > 0 || units == 0 || units >= t_.ranks.size() || blocks < 2 ||
        !t_.ranks.anyThread())
      return false;
    const SharedUnit mine = sharedUnit(units, blocks, t_.ranks.rank(), t_.ranks.size());
    todo.clear();
    if (mine.blocks.begin == mine.blocks.end) // fewer blocks than ranks
      return true;
    todo.push_back(left[static_cast<std::size_t>(mine.unit)]);
    shared_ = sharedBlocks(t_.ranks, mine.first, mine.ranks, mine.blocks.begin, mine.blocks.end);
    return true;
  }

  /// Rows of which no unit had all poses.
  void joinPoses() {
    sums_->join(*found_.result,
                [&](const SceneUnit &unit, const UnitRows &rows) { write(-1, unit, rows); });
  }

  void write(std::int64_t number, const SceneUnit &unit, const UnitRows &rows) {
    t_.file.write(*found_.result, number, unit.image, unit.begin, unit.end,
                  {rows.intensity.data(), rows.errors.empty() ? nullptr : rows.errors.data(),
                   rows.amplitude.empty() ? nullptr : rows.amplitude.data()});
  }

  bool compute(const SceneDecision &decision, const std::vector<SceneUnit> &units,
               const std::vector<double> &costs, const std::vector<std::int64_t> &todo) {
    const auto [workers, inside, bytes] = workersFor(
        {t_.problem, t_.meshes, kernels_, t_.threads, t_.memory}, decision, units, todo.size());
    const double all = std::accumulate(costs.begin(), costs.end(), 0.0);
    std::atomic<double> progressed{0};
    std::mutex mutex; // of what follows
    std::int64_t count = 0, repaired = 0;
    TiledResult &result = *found_.result;
    const Stopwatch watch;
    UnitsToTake take;
    take.worker = [&](const std::atomic<bool> *leave) -> OneUnit {
      const auto evaluator = std::make_shared<UnitEvaluator>(
          UnitEvaluator::With{t_.problem, decision, kernels_, params_, inside, queuesHere(),
                              [&](double tqp) {
                                double before = progressed;
                                while (!progressed.compare_exchange_weak(before, before + tqp))
                                  ;
                              },
                              leave});
      evaluator->share(shared_.get());
      return [&, evaluator, all = Partial(), rows = UnitRows()](std::int64_t k) mutable {
        const SceneUnit &unit = units[static_cast<std::size_t>(k)];
        std::vector<PoseCheck> found;
        // The first units and then ever fewer; of their poses one after the other.
        const auto n = static_cast<std::uint64_t>(k);
        evaluator->check((n & (n - 1)) == 0 ? std::bit_width(n) : -1, &found);
        const std::int64_t countBefore = evaluator->count();
        const std::int64_t repairedBefore = evaluator->repaired();
        if (evaluator->run(unit, all)) {
          if (sums_->keeps(k)) {
            sums_->write(result, k, all);
          } else {
            fillRows(t_.problem, unit, all, rows);
            write(k, unit, rows);
          }
          result.finishUnit(k);
        }
        const std::lock_guard lock(mutex);
        count += evaluator->count() - countBefore;
        repaired += evaluator->repaired() - repairedBefore;
        std::move(found.begin(), found.end(), std::back_inserter(checks_));
      };
    };
    take.units = todo;
    take.workers = workers;
    take.meanwhile = [&] {
      t_.ranks.tell(progressed);
      if (first_)
        t_.host.host.progress(t_.ranks.size() > 1 ? t_.ranks.told() : double(progressed), all);
    };
    take.stops = shared_ == nullptr;
    double seconds = 0; // of all units, by one thread
    for (const SceneDecision::Way &way : decision.ways)
      seconds += way.seconds;
    take.seconds = seconds / (static_cast<double>(units.size()) * inside);
    take.stopping = [&](double left, bool leaves) {
      result.flush();
      if (first_)
        t_.host.progress().stopping(left, leaves);
    };
    if (first_)
      t_.host.progress().begin(found_.units, t_.threads,
                               seconds * static_cast<double>(todo.size()) /
                                   (static_cast<double>(units.size()) * workers * inside));
    const UnitsTaken taken = takeUnits(take);
    result.flush();
    Evaluations &e = found_.evaluations;
    double sums[] = {static_cast<double>(count), static_cast<double>(repaired), progressed};
    t_.ranks.sum(sums, 3);
    e = {};
    e.count = static_cast<std::int64_t>(sums[0]);
    e.repaired = static_cast<std::int64_t>(sums[1]);
    e.tqp = sums[2];
    e.threads = t_.threads;
    e.how = howOf(decision);
    const bool stopped = t_.ranks.max(taken.stopped ? 1 : 0) > 0; // and all have flushed
    e.seconds = watch.seconds();
    t_.host.end();
    const std::vector<std::string> others = t_.ranks.gather(first_ ? "" : packed(checks_));
    for (const std::string &bytes : others)
      for (PoseCheck &check : unpackedChecks(bytes))
        checks_.push_back(std::move(check));
    return !stopped;
  }

  /// On rank 0: judges what was found; whether to run again, more accurately.
  bool goOn() {
    const Experiment &e = t_.problem.experiment;
    const SceneErrors errors = judge(checks_, e.accuracy, e.seed);
    for (const Measured &m : errors.f)
      found_.evaluations.add(m);
    found_.phiError = errors.phi;
    found_.phiPixels = errors.pixels;
    bool again = false;
    for (const SceneErrors::Missed &missed : errors.missed)
      again = decider_->sharpen(missed.way, missed.body) || again;
    if (again && found_.evaluations.worst)
      t_.host.host.say(fmt::format("the contract was missed ({:.1e} of max|{}|, asked {:.0e}): "
                                   "running again, more accurately",
                                   std::max(errors.phi, found_.evaluations.worst->error),
                                   t_.problem.layout.amplitudeName, e.accuracy));
    return again;
  }

  /// "direct, f32, avx2", or several of these.
  static std::string howOf(const SceneDecision &decision) {
    std::set<std::string> ways;
    for (const SceneDecision::Way &way : decision.ways)
      for (const SceneDecision::Part &part : way.parts)
        ways.insert(fmt::format("{}, {}", name(choiceOf(part.how)), part.how.target));
    std::string text;
    for (const std::string &way : ways)
      text += (text.empty() ? "" : "; ") + way;
    return text;
  }

  const SceneTask &t_;
  bool first_;
  std::vector<Kernel> kernels_;
  std::vector<std::vector<double>> params_;
  std::vector<std::vector<std::size_t>> numbers_; // on rank 0
  std::unique_ptr<SceneDecider> decider_;         // on rank 0
  std::vector<SceneUnit> units_;
  std::unique_ptr<PoseSums> sums_;       // of units that have some poses only
  std::unique_ptr<SharedBlocks> shared_; // of the unit in hand; null: nobody else has a part of it
  std::vector<PoseCheck> checks_;
  SceneCarried found_;
};

} // namespace

SceneCarried carryOut(const SceneTask &task) {
  const StopRequest stop;
  return Carry(task).run();
}

} // namespace facet::cli
