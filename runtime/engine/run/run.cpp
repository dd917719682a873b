// run.cpp - the loop over attempts, ranks and units.
#include "runtime/engine/run/run.h"
#include "runtime/engine/run/mpi/blocks.h"
#include "runtime/engine/run/plan_file.h"
#include "runtime/engine/run/shares.h"
#include "runtime/engine/system/clock.h"
#include "runtime/engine/system/stop_request.h"
#include <algorithm>
#include <fmt/format.h>
#include <numeric>

namespace facet::runtime {
namespace {

// Units of an attempt that the loop takes, and what they came to
struct UnitWork {
  std::function<OneUnit(const std::atomic<bool> *leave)> worker;
  double work = 0;  // of all ranks' units
  std::string text; // these units, for people
  bool alwaysSaid = false;
};
struct LoopEnd {
  bool stopped = false;
  double seconds = 0, tqp = 0;
};

/// Sets the work of finished units to 0. Returns the units that are left to this rank.
std::vector<std::int64_t> left(const Cutter &units, const std::vector<bool> &before,
                               const Communicator &ranks, std::vector<double> &work,
                               std::string &shares) {
  for (std::size_t k = 0; k < before.size(); ++k)
    work[k] = before[k] ? 0 : work[k];
  const Shares all(units, ranks.size(), work);
  shares = all.text();
  std::vector<std::int64_t> todo = all.of(ranks.rank());
  std::erase_if(todo, [&](std::int64_t k) { return before[static_cast<std::size_t>(k)]; });
  return todo;
}

/// "; 3 of them finished before", or "".
std::string finishedText(char separator, const std::vector<bool> &before) {
  const auto finished = std::count(before.begin(), before.end(), true);
  return finished > 0 ? fmt::format("{} {} of them finished before", separator, finished) : "";
}

class RunLoop {
public:
  RunLoop(RunProblem &problem, const RunSettings &options, Communicator &ranks, RunEvents &events)
      : problem_(problem), options_(options), ranks_(ranks), events_(events) {}

  /// Returns false if an earlier run has finished the result.
  bool compute() {
    const StopRequest stop;
    if (agreed(first() && options_.resume && problem_.finished() ? 1 : 0))
      return false;
    if (first())
      problem_.prepare();
    events_.stage("computing starts");
    bool resume = options_.resume, overwrite = options_.overwrite;
    while (attempt(resume, overwrite)) {
      if (options_.share)
        return true;
      if (!agreed(problem_.judge(*attempt_, totals_) ? 1 : 0)) {
        if (derive())
          return true;
        break;
      }
      attempt_.reset();
      result_.reset();
      ranks_.barrier(); // now nobody holds a journal
      resume = false;
      overwrite = true;
    }
    if (first())
      throw result_->stopped();
    return true;
  }

  void finalise() {
    if (options_.share) {
      result_->finaliseShare(options_.share, ofShare_, problem_.shareProvenance(totals_));
      return;
    }
    const nexus::Process process = problem_.provenance(*result_, totals_);
    events_.stage("computed and measured");
    result_->finalise(process, options_.compress);
    events_.stage("data written");
  }

private:
  bool first() const { return ranks_.rank() == 0; }
  /// Returns on all ranks what rank 0 says.
  bool agreed(char yes) const {
    ranks_.broadcast(&yes, 1);
    return yes != 0;
  }
  bool attempt(bool resume, bool overwrite);
  std::string decide(bool resume);
  void divide(UnitPlan &units, std::vector<bool> before);
  std::vector<bool> leaveOthers(const UnitPlan &units, std::vector<bool> before);
  bool derive();
  std::vector<bool> open(const std::string &decision, const UnitPlan &units, bool resume,
                         bool overwrite);
  std::string shareUnits(const UnitPlan &all);
  LoopEnd takeAll(const UnitWork &how);

  RunProblem &problem_;
  const RunSettings &options_;
  Communicator &ranks_;
  RunEvents &events_;
  RunTotals totals_;
  TiledFile file_;
  std::unique_ptr<TiledResult> result_;
  std::unique_ptr<Attempt> attempt_;
  std::vector<std::int64_t> ofShare_; // its units, ascending
  std::vector<bool> beforeAfter_;     // units of SecondPass that an earlier run has finished
};

/// On rank 0: the decision of the next attempt. A stopped run's comes first, then that of other
/// shares.
std::string RunLoop::decide(bool resume) {
  Identity before = resume ? findResult(options_.output).identity : Identity();
  if (!options_.merge.empty())
    before = options_.merge[0].identity();
  std::string plan = before["plan"];
  if (!options_.share)
    return problem_.decide(plan);
  if (plan.empty())
    plan = readPlan(options_.planFile);
  const std::string own = problem_.decide(plan), agreed = agreedPlan(options_.planFile, own);
  return agreed == own ? own : problem_.decide(agreed);
}

/// In a share, sets ofShare_, and returns `before` with the units of other shares in it.
std::vector<bool> RunLoop::leaveOthers(const UnitPlan &units, std::vector<bool> before) {
  if (!options_.share)
    return before;
  const Shares all(units.cutter, options_.share.count, units.work);
  ofShare_ = all.of(options_.share.number - 1);
  totals_.units += fmt::format("; share {} has {}", textOf(options_.share), ofShare_.size());
  std::vector<bool> others(before.size(), true);
  for (const std::int64_t unit : ofShare_)
    others[static_cast<std::size_t>(unit)] = before[static_cast<std::size_t>(unit)];
  return others;
}

/// Begins the attempt: this rank's part of the units that are not among those finished before.
void RunLoop::divide(UnitPlan &units, std::vector<bool> before) {
  totals_.units = units.text;
  const std::string finished = options_.merge.empty() ? finishedText(';', before) : "";
  before = leaveOthers(units, std::move(before));
  std::string shares;
  std::vector<std::int64_t> todo = left(units.cutter, before, ranks_, units.work, shares);
  attempt_.reset(new Attempt{*result_,
                             0,
                             std::move(before),
                             std::move(todo),
                             nullptr,
                             !options_.merge.empty(),
                             {},
                             {},
                             {}});
  const std::string shared = shareUnits(units);
  totals_.merged = options_.merge.size();
  totals_.ranks = ranks_.size();
  if (ranks_.size() > 1)
    totals_.units += fmt::format("; {} ranks, {}", ranks_.size(),
                                 shared.empty() ? shares : "which share " + shared);
  totals_.units += finished;
}

/// Makes one attempt, by one decision. Returns false if it was stopped.
bool RunLoop::attempt(bool resume, bool overwrite) {
  std::string text;
  if (first())
    text = decide(resume);
  ranks_.broadcast(text);
  UnitPlan units = problem_.take(text);
  attempt_.reset();
  divide(units, open(text, units, resume, overwrite));
  events_.stage("result laid out");
  attempt_->workers = problem_.workers(attempt_->todo.size());
  std::atomic<double> evaluations{0}, repaired{0};
  attempt_->count = [&](double of, double again) {
    evaluations += of;
    repaired += again;
  };
  const std::string called = problem_.called();
  const LoopEnd taken =
      takeAll({[this](const std::atomic<bool> *leave) { return problem_.worker(*attempt_, leave); },
               std::accumulate(units.work.begin(), units.work.end(), 0.0), called + totals_.units,
               !called.empty()});
  double sums[] = {evaluations, repaired};
  ranks_.sum(sums, 2);
  totals_.evaluations = static_cast<std::int64_t>(sums[0]);
  totals_.repaired = static_cast<std::int64_t>(sums[1]);
  totals_.tqp = taken.tqp;
  totals_.seconds = taken.seconds;
  return !taken.stopped;
}

/// Computes what comes after the values, if anything does. Returns false if it was stopped.
bool RunLoop::derive() {
  SecondPass *units = problem_.after();
  if (units == nullptr)
    return true;
  std::vector<double> work = units->work();
  std::string shares;
  std::vector<std::int64_t> todo =
      left({{std::ssize(work), 1, 1}, {1, 1, 1}}, beforeAfter_, ranks_, work, shares);
  const auto values = std::ssize(attempt_->before);
  attempt_.reset(
      new Attempt{*result_, values, beforeAfter_, std::move(todo), nullptr, false, {}, {}, {}});
  attempt_->workers = units->workers(attempt_->todo.size());
  totals_.unitsOfDerivatives =
      fmt::format("{} units", work.size()) + finishedText(',', beforeAfter_);
  events_.stage("derivatives start");
  const LoopEnd taken =
      takeAll({[&](const std::atomic<bool> *leave) { return units->worker(*attempt_, leave); },
               std::accumulate(work.begin(), work.end(), 0.0),
               "derivatives in " + totals_.unitsOfDerivatives});
  totals_.secondsOfDerivatives = taken.seconds;
  return !taken.stopped;
}

/// All ranks together: rank 0 lays the result out, the others open it. Returns which units an
/// earlier run has finished.
std::vector<bool> RunLoop::open(const std::string &decision, const UnitPlan &units, bool resume,
                                bool overwrite) {
  const std::int64_t values = units.cutter.count();
  SecondPass *const more = problem_.after();
  const std::int64_t count = values + (more == nullptr ? 0 : std::ssize(more->work()));
  Identity of = problem_.identity();
  of["plan"] = decision;
  of["facet"] = FACET_VERSION;
  result_.reset();
  file_ = options_.share ? unitsAlone(units.file) : units.file;
  std::string done;
  const std::string &path = options_.output;
  const TiledOptions options{
      .overwrite = overwrite, .sparse = bool(options_.share), .parts = problem_.parts()};
  if (first()) {
    const auto begin = resume ? TiledResult::resume : TiledResult::create;
    result_.reset(new TiledResult(begin(path, file_, of, count, options)));
    for (const std::string &note : result_->notes())
      events_.note(note);
    for (const ShareFile &share : options_.merge)
      result_->adopt(share);
    if (const auto none = std::ranges::find(result_->done(), false);
        !options_.merge.empty() && none != result_->done().end())
      throw Error(
          path, fmt::format("unit {} of {} is in no share", none - result_->done().begin(), count),
          "run all shares again");
    for (const bool unit : result_->done())
      done += unit ? '1' : '0';
  }
  ranks_.broadcast(done);
  std::vector<bool> before(done.size());
  std::transform(done.begin(), done.end(), before.begin(), [](char u) { return u == '1'; });
  if (!first())
    result_.reset(
        new TiledResult(TiledResult::join(path, file_, of, count, ranks_.rank(), before, options)));
  beforeAfter_.assign(before.begin() + values, before.end());
  before.resize(static_cast<std::size_t>(values));
  return before;
}

/// Lets ranks share the parts of units if they outnumber the units. Returns what the parts are,
/// else "".
std::string RunLoop::shareUnits(const UnitPlan &all) {
  std::vector<std::int64_t> left;
  for (std::size_t k = 0; k < attempt_->before.size(); ++k)
    if (!attempt_->before[k])
      left.push_back(static_cast<std::int64_t>(k));
  const auto units = std::ssize(left);
  if (units == 0 || units >= ranks_.size() || all.parts < 2 || !ranks_.anyThread())
    return "";
  const SharedUnit mine = sharedUnit(units, all.parts, ranks_.rank(), ranks_.size());
  attempt_->todo.clear();
  if (mine.blocks.begin == mine.blocks.end) // fewer parts than ranks
    return all.ofParts;
  attempt_->todo.push_back(left[static_cast<std::size_t>(mine.unit)]);
  attempt_->shared =
      sharedBlocks(ranks_, mine.first, mine.ranks, mine.blocks.begin, mine.blocks.end);
  return all.ofParts;
}

/// Takes the units of this rank; when it returns, those of all ranks are on disk.
LoopEnd RunLoop::takeAll(const UnitWork &how) {
  Attempt &a = *attempt_;
  std::atomic<double> progressed{0};
  a.progress = [&](double tqp) { progressed += tqp; };
  UnitsToTake take;
  take.units = a.todo;
  take.workers = a.workers.workers;
  take.worker = how.worker;
  take.stops = a.shared == nullptr;
  take.patience = options_.patience;
  take.meanwhile = [&] {
    ranks_.tell(progressed);
    if (first())
      events_.show(ranks_.size() > 1 ? ranks_.told() : double(progressed), how.work);
  };
  take.stopping = [&](double seconds, bool leaves) {
    result_->flush();
    if (first())
      events_.stopping(seconds, leaves);
  };
  if (first()) {
    take.seconds = a.workers.seconds;
    events_.begin(how.text, problem_.threads(),
                  take.seconds * static_cast<double>(a.todo.size()) / take.workers, how.alwaysSaid);
  }
  const Stopwatch watch;
  const UnitCount taken = takeUnits(take);
  result_->flush();
  events_.stage("units of this rank on disk");
  double tqp = progressed;
  ranks_.sum(&tqp, 1);
  const bool stopped = ranks_.max(taken.stopped ? 1 : 0) > 0; // and all have flushed
  events_.end();
  events_.stage("units of all ranks on disk");
  return {stopped, watch.seconds(), tqp};
}

} // namespace

bool run(RunProblem &problem, const RunSettings &options, Communicator &ranks, RunEvents &events) {
  RunLoop loop(problem, options, ranks, events);
  const bool fresh = loop.compute();
  if (fresh && ranks.rank() == 0)
    loop.finalise();
  return fresh;
}

} // namespace facet::runtime
