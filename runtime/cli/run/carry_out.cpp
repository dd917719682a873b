// carry_out.cpp - decides or resumes, runs the units, measures, goes on to the next choice.
#include "runtime/cli/run/carry_out.h"
#include "runtime/blocks/mpi/blocks.h"
#include "runtime/blocks/mpi/references.h"
#include "runtime/blocks/run_units.h"
#include "runtime/blocks/shares.h"
#include "runtime/cli/run/progress.h"
#include "runtime/cli/timings.h"
#include "runtime/files/clock.h"
#include "runtime/files/hash.h"
#include "runtime/files/stop_request.h"
#include "runtime/plan/choices/variants.h"
#include "runtime/plan/inside.h"
#include <algorithm>
#include <fmt/format.h>
#include <numeric>

namespace facet::cli {
using namespace facet::runtime;
namespace {

const char *const where = "/entry/amplitude/F";

Cut cutOf(const Decision &d, const Plan &plan, const Grid &grid, std::int64_t records,
          const std::string &text) {
  return cutFrom(text, grid, records,
                 cutRules(d.algorithm, d.algorithm == FACET_NUFFT ? nullptr : &variantOf(plan),
                          grid, kernelOf(plan)->fixed, records),
                 &d.cut);
}

std::string kernelHash(const Kernel &kernel, const std::vector<double> &params) {
  Hash hash;
  hash.field(kernel->name);
  hash.field(kernel->manifest);
  for (const double p : params)
    hash.field(fmt::format("{:a}", p));
  return hash.hex();
}

Identity identityOf(const Problem &p, const std::string &plan) {
  return {{"kernel", kernelHash(p.kernel, p.params)},
          {"mesh", p.mesh.hash},
          {"grid", p.gridHash},
          {"plan", plan},
          {"facet", FACET_VERSION}};
}

class Carry {
public:
  Carry(Plan *plan, const Problem &p, Communicator &ranks)
      : plan_(plan), p_(p), ranks_(ranks),
        file_(tiledFile(p.grid, p.experiment.title, p.experiment.fUnit)) {}

  /// One attempt, by the plan's choice. False: asked to stop.
  bool attempt(std::unique_ptr<TiledResult> &result, bool resume, bool overwrite,
               RunResult &found) {
    const std::string &path = p_.experiment.output;
    std::string text = plan_ != nullptr ? toJson(decide(resume)) : "";
    ranks_.broadcast(text);
    const Decision d = decisionFromJson(text, path);
    const Units units(p_.grid.extents(), d.cut);
    const Identity identity = identityOf(p_, text);
    std::string done; // '1': by an earlier run
    if (plan_ != nullptr) {
      TiledOptions options;
      options.overwrite = overwrite;
      result = std::make_unique<TiledResult>(
          resume ? TiledResult::resume(path, file_, identity, units.count(), options)
                 : TiledResult::create(path, file_, identity, units.count(), options));
      for (const std::string &note : result->notes())
        fmt::print(stderr, "facet: {}\n", note);
      for (const bool unit : result->done())
        done += unit ? '1' : '0';
    }
    ranks_.broadcast(done);
    std::vector<bool> before;
    std::vector<double> costs;
    for (std::int64_t k = 0; k < units.count(); ++k) {
      before.push_back(done[static_cast<std::size_t>(k)] == '1');
      costs.push_back(before.back() ? 0 : static_cast<double>(units.at(k).size()));
    }
    if (plan_ == nullptr)
      result = std::make_unique<TiledResult>(
          TiledResult::join(path, file_, identity, units.count(), ranks_.rank(), before));
    const Shares shares(units, ranks_.size(), costs);
    std::vector<std::int64_t> todo = shares.of(ranks_.rank());
    std::erase_if(todo, [&](std::int64_t k) { return before[static_cast<std::size_t>(k)]; });
    const bool shared = shareBlocks(d, before, todo);
    found.units = fmt::format("{} of {}", units.count(), show(d.cut));
    found.ranks = ranks_.size();
    found.share =
        std::accumulate(costs.begin(), costs.end(), 0.0) / static_cast<double>(p_.grid.size());
    if (ranks_.size() > 1)
      found.units += fmt::format("; {} ranks, {}", ranks_.size(),
                                 shared ? "which share t blocks" : shares.text());
    if (const auto n = std::count(done.begin(), done.end(), '1'); n > 0)
      found.units += fmt::format("; {} of them finished before", n);
    stage("result laid out");
    count_ = units.count();
    return run(d, before, todo, *result, found);
  }

  /// All together, after an attempt: on rank 0 the measured error.
  Measured measure(const TiledResult &result) {
    const Extremes extremes = joined(ranks_, extremes_);
    const auto shared = [&](const std::vector<std::int64_t> &q, std::size_t least, double seconds) {
      const auto own = [&](const std::vector<std::int64_t> &some, std::size_t always, double time) {
        return references().at(p_.grid, some, always, time);
      };
      return sharedReferences(ranks_, q, least, seconds, own);
    };
    if (plan_ == nullptr) {
      shared({}, 0, 0);
      return {};
    }
    const auto values = [&](const std::vector<std::int64_t> &q) {
      return readValues(result, result.dataset(where), p_.grid, q);
    };
    return runtime::measure(*plan_, extremes, {values, shared});
  }

private:
  int threads() const {
    return plan_ != nullptr ? plan_->explain().threads
           : p_.threads > 0 ? p_.threads
                            : usableThreads();
  }

  const References &references() {
    if (plan_ != nullptr)
      return referencesOf(*plan_);
    if (!pool_)
      pool_ = std::make_unique<Pool>(threads());
    references_ = std::make_unique<References>(p_.kernel, p_.mesh.blocks, p_.mesh.block, frame_,
                                               p_.params, *pool_);
    return *references_;
  }

  /// Whether rank 0 needs F of the whole grid: for a picture, and to find what is large among q
  /// that are damped alike.
  bool wantsAll() const {
    return plan_ != nullptr && (p_.experiment.picture != "none" || p_.grid.axes[2].isComplex());
  }

  /// Where ranks outnumber the units, they share the t blocks of each; `todo`: this rank's unit.
  bool shareBlocks(const Decision &d, const std::vector<bool> &before,
                   std::vector<std::int64_t> &todo) {
    const std::int64_t blocks =
        d.cut.records > 0 ? (p_.mesh.size() + d.cut.records - 1) / d.cut.records : 1;
    std::vector<std::int64_t> left;
    for (std::size_t k = 0; k < before.size(); ++k)
      if (!before[k])
        left.push_back(static_cast<std::int64_t>(k));
    shared_.reset();
    const auto units = static_cast<std::int64_t>(left.size());
    if (units == 0 || units >= ranks_.size() || blocks < 2 || !ranks_.anyThread())
      return false;
    const SharedUnit mine = sharedUnit(units, blocks, ranks_.rank(), ranks_.size());
    todo.clear();
    if (mine.blocks.begin == mine.blocks.end) // fewer blocks than ranks
      return true;
    todo.push_back(left[static_cast<std::size_t>(mine.unit)]);
    shared_ = sharedBlocks(ranks_, mine.first, mine.ranks, mine.blocks.begin, mine.blocks.end);
    return true;
  }

  Decision decide(bool resume) {
    // A stopped run goes on by the plan it was begun with: another could have other bits.
    const FoundResult before = resume ? findResult(p_.experiment.output) : FoundResult();
    Decision d = before.identity.count("plan") != 0 ? planOf(before) : decisionOf(*plan_);
    const std::int64_t block = d.cut.records;
    if (!p_.how.cut.empty()) {
      const Cut planned = d.cut;
      d.cut = cutOf(d, *plan_, p_.grid, p_.mesh.size(), p_.how.cut);
      if (d.cut.tile != planned.tile) // what these units take was not planned
        d.transforms = d.workers = 0;
    }
    if (p_.mesh.streamed)
      d.cut.records = std::min(d.cut.records, block);
    return d;
  }

  Decision planOf(const FoundResult &before) {
    const Decision d = decisionFromJson(before.identity.at("plan"), p_.experiment.output);
    if (d.accuracy != p_.experiment.accuracy || !follow(*plan_, d))
      throw Error(p_.experiment.output,
                  fmt::format("the stopped run was planned otherwise: {}, {}, for {:.0e} of max|F|",
                              algorithmName(d.algorithm), className(d.klass), d.accuracy),
                  "resume with the same kernel, grid, accuracy, --algorithm, --class and --target, "
                  "or begin anew with --overwrite");
    return d;
  }

  std::unique_ptr<Evaluator> evaluator(const Decision &d, const std::shared_ptr<Slices> &slices,
                                       int threads) {
    if (plan_ != nullptr)
      return evaluatorOf(*plan_, d, slices, threads);
    if (runsOnDevice(p_.kernel, d.target) && !queues_)
      queues_ = openQueues(d.target);
    return std::make_unique<Evaluator>(p_.kernel, d, slices, threads, queues_.get());
  }

  /// Expected, of one of `workers` at a time.
  double secondsOfUnit(int workers) const {
    return plan_ != nullptr ? plan_->choice().seconds * workers / static_cast<double>(count_) : 0;
  }

  bool run(const Decision &d, const std::vector<bool> &before,
           const std::vector<std::int64_t> &todo, TiledResult &result, const RunResult &found) {
    const auto slices = std::make_shared<Slices>(p_.kernel, d, p_.mesh.blocks,
                                                 p_.mesh.streamed ? 0 : 0.25 * d.memory);
    const bool transforms = d.algorithm == FACET_NUFFT;
    const int all = threads();
    int workers = p_.mesh.workers > 0 ? std::min(all, p_.mesh.workers) : all;
    if (d.workers > 0) // the memory has room for no more
      workers = std::min(workers, d.workers);
    const int dataset = result.dataset(where);
    const auto records = static_cast<double>(p_.mesh.size());
    const double work = records * static_cast<double>(p_.grid.size());
    std::complex<double> *const f = wantsAll() ? placeOf(*plan_) : nullptr;
    frame_ = d.frame;
    Progress progress;
    const UnitsJob job{p_.grid,
                       d,
                       p_.params,
                       todo,
                       transforms ? workers : 1,
                       [&] { return evaluator(d, slices, transforms ? 1 : all); },
                       result,
                       dataset,
                       f,
                       shared_.get(),
                       [&](double part, double) {
                         ranks_.tell(part);
                         if (plan_ != nullptr)
                           progress.show(ranks_.size() > 1 ? ranks_.told() : part, work);
                       },
                       secondsOfUnit(workers),
                       [&](double seconds, bool left) {
                         result.flush();
                         if (plan_ != nullptr)
                           progress.stopping(seconds, left);
                       }};
    if (plan_ != nullptr)
      progress.begin(found.units, threads(), plan_->choice().seconds * found.share / ranks_.size());
    const Stopwatch watch;
    const UnitsDone done = runUnits(job);
    stage("units of this rank summed");
    result.flush();
    stage("units of this rank on disk");
    const double repaired = ranks_.sum(static_cast<double>(done.repaired));
    const bool stopped = ranks_.max(done.stopped ? 1 : 0) > 0; // and all have flushed
    progress.end();
    stage("units of all ranks on disk");
    if (stopped)
      return false;
    // Units of earlier runs are looked at by all ranks; rank 0 reads all of others that it needs.
    std::vector<std::int64_t> earlier, others;
    for (std::size_t k = 0; k < before.size(); ++k) {
      const auto unit = static_cast<std::int64_t>(k);
      if (before[k])
        earlier.push_back(unit);
      if (f != nullptr && std::find(todo.begin(), todo.end(), unit) == todo.end())
        others.push_back(unit);
    }
    const Run mine =
        evenRun(static_cast<std::int64_t>(earlier.size()), ranks_.rank(), ranks_.size());
    extremes_ = done.extremes;
    extremes_.join(readUnits(result, dataset, p_.grid, d,
                             {earlier.begin() + mine.begin, earlier.begin() + mine.end}));
    readUnits(result, dataset, p_.grid, d, others, f);
    stage("units of others read");
    if (plan_ == nullptr)
      return true;
    setExecuted(*plan_, {watch.seconds(), static_cast<std::int64_t>(repaired), false, done.totals,
                         done.device});
    return true;
  }

  Plan *plan_;
  const Problem &p_;
  Communicator &ranks_;
  TiledFile file_;
  std::unique_ptr<Queues> queues_;
  std::unique_ptr<Pool> pool_; // of the references of a rank that has no plan
  std::unique_ptr<References> references_;
  std::unique_ptr<SharedBlocks> shared_;
  std::int64_t count_ = 1; // units in all
  Frame frame_;            // of the last attempt
  Extremes extremes_;      // of what this rank has seen of it
};

} // namespace

std::string problemOf(const Kernel &kernel, const std::string &gridHash,
                      const std::string &meshHash, const std::vector<double> &params,
                      double accuracy) {
  Hash hash;
  for (const std::string &part :
       {kernelHash(kernel, params), meshHash, gridHash, fmt::format("{:a}", accuracy)})
    hash.field(part);
  return hash.hex();
}

Carried carryOut(Plan *plan, const Problem &problem, RunResult &found) {
  const StopRequest stop;
  Communicator &ranks = world();
  Carried carried;
  Carry carry(plan, problem, ranks);
  bool resume = problem.how.resume, overwrite = problem.how.overwrite, stopped = false;
  Attempts attempts;
  attempts.attempt = [&]() -> Measured {
    stopped = !carry.attempt(carried.result, resume, overwrite, found);
    if (stopped && plan != nullptr)
      throw carried.result->stopped();
    return stopped ? Measured() : carry.measure(*carried.result);
  };
  attempts.agree = [&](bool more) {
    if (stopped)
      return false;
    char again = more ? 1 : 0;
    ranks.broadcast(&again, 1);
    if (again == 0)
      return false;
    carried.result.reset();
    ranks.barrier(); // nobody holds a journal
    resume = false;
    overwrite = true;
    return true;
  };
  attempts.say = [](const std::string &text) { fmt::print(stderr, "facet: {}\n", text); };
  carried.measured = toContract(plan, attempts);
  return carried;
}

} // namespace facet::cli
