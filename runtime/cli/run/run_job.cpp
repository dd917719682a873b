// run_job.cpp - loops over ways to run, and in each over units: ranks, journals, stops, resuming.
#include "runtime/blocks/mpi/blocks.h"
#include "runtime/blocks/shares.h"
#include "runtime/cli/run/job.h"
#include "runtime/cli/run/progress.h"
#include "runtime/files/clock.h"
#include "runtime/files/hash.h"
#include "runtime/files/stop_request.h"
#include "runtime/plan/choices/choices.h"
#include "runtime/plan/sums/queues.h"
#include "runtime/planner/machine.h"
#include <algorithm>
#include <atomic>
#include <facet/runtime/output.h>
#include <fmt/format.h>
#include <numeric>
#include <sstream>

namespace facet::cli {
using namespace facet::runtime;
namespace {

int threadsOf(const Experiment &e, const Communicator &ranks) {
  return e.threads > 0 ? e.threads : std::max(1, usableThreads() / ranks.localSize());
}

class JobRun {
public:
  explicit JobRun(Job &job) : job_(job), ranks_(job.ranks()), path_(job.experiment().output) {}

  /// False: an earlier run has finished it.
  bool compute(Found &found) {
    if (char done = job_.first() && finishedBefore() ? 1 : 0; agreed(done))
      return false;
    if (job_.first())
      job_.prepare();
    stage("computing starts");
    bool resume = job_.how().resume, overwrite = job_.how().overwrite;
    while (true) {
      if (!attempt(resume, overwrite, found)) {
        if (job_.first())
          throw result_->stopped();
        return true;
      }
      const Attempt &attempt = *attempt_;
      if (char again = job_.judge(attempt, found) ? 1 : 0; !agreed(again))
        return true;
      attempt_.reset();
      result_.reset();
      ranks_.barrier(); // nobody holds a journal
      resume = false;
      overwrite = true;
    }
  }

  TiledResult &result() { return *result_; }

private:
  /// What rank 0 says.
  bool agreed(char yes) const {
    ranks_.broadcast(&yes, 1);
    return yes != 0;
  }

  /// Whether there is a finished result and --resume is given. Throws Error if the result is of
  /// another problem.
  bool finishedBefore() const {
    if (!job_.how().resume || findResult(path_).state != FoundResult::State::Finished)
      return false;
    const auto before = readProvenance(path_);
    if (const auto found = before.find("problem");
        found != before.end() && found->second == job_.problem())
      return true;
    throw Error(path_,
                fmt::format("holds the finished result of another {}",
                            job_.experiment().isScene()
                                ? "experiment"
                                : "problem (kernel, mesh, grid or accuracy)"),
                "leave out --resume to overwrite it, or write somewhere else with -o FILE");
  }

  /// One attempt, by one decision. False: it was stopped.
  bool attempt(bool resume, bool overwrite, Found &found) {
    std::string text;
    if (job_.first()) {
      const FoundResult before = resume ? findResult(path_) : FoundResult();
      const auto plan = before.identity.find("plan");
      text = job_.decide(plan != before.identity.end() ? plan->second : "");
    }
    ranks_.broadcast(text);
    job_.take(text);
    const Cutter units = job_.units();
    attempt_.reset();
    std::vector<bool> before = open(text, units.count(), resume, overwrite);
    std::vector<double> work(before.size(), 0);
    for (std::size_t k = 0; k < before.size(); ++k)
      if (!before[k])
        work[k] = job_.work(static_cast<std::int64_t>(k));
    const Shares shares(units, ranks_.size(), work);
    std::vector<std::int64_t> todo = shares.of(ranks_.rank());
    std::erase_if(todo, [&](std::int64_t k) { return before[static_cast<std::size_t>(k)]; });
    const auto finished = std::count(before.begin(), before.end(), true);
    attempt_.reset(new Attempt{*result_, std::move(before), std::move(todo), nullptr, {}, {}});
    const std::string shared = shareUnits();
    found.units = job_.unitsText();
    found.ranks = ranks_.size();
    if (ranks_.size() > 1)
      found.units += fmt::format("; {} ranks, {}", ranks_.size(),
                                 shared.empty() ? shares.text() : "which share " + shared);
    if (finished > 0)
      found.units += fmt::format("; {} of them finished before", finished);
    stage("result laid out");
    const double all = std::accumulate(work.begin(), work.end(), 0.0);
    return takeAll(all, found);
  }

  /// All together: lays the result out, or opens what rank 0 has laid out. By unit: finished by an
  /// earlier run.
  std::vector<bool> open(const std::string &decision, std::int64_t count, bool resume,
                         bool overwrite) {
    Identity identity = job_.identity();
    identity["plan"] = decision;
    identity["facet"] = FACET_VERSION;
    result_.reset();
    file_ = job_.file();
    std::string done;
    if (job_.first()) {
      TiledOptions options;
      options.overwrite = overwrite;
      const auto begin = resume ? TiledResult::resume : TiledResult::create;
      result_.reset(new TiledResult(begin(path_, file_, identity, count, options)));
      for (const std::string &note : result_->notes())
        job_.say(note);
      for (const bool unit : result_->done())
        done += unit ? '1' : '0';
    }
    ranks_.broadcast(done);
    std::vector<bool> before(done.size());
    std::transform(done.begin(), done.end(), before.begin(), [](char u) { return u == '1'; });
    if (!job_.first())
      result_.reset(
          new TiledResult(TiledResult::join(path_, file_, identity, count, ranks_.rank(), before)));
    return before;
  }

  /// If ranks outnumber the units, they share the parts of each: what these are, "" otherwise.
  std::string shareUnits() {
    std::vector<std::int64_t> left;
    for (std::size_t k = 0; k < attempt_->before.size(); ++k)
      if (!attempt_->before[k])
        left.push_back(static_cast<std::int64_t>(k));
    const auto units = std::ssize(left);
    const auto &[parts, what] = job_.parts();
    if (units == 0 || units >= ranks_.size() || parts < 2 || !ranks_.anyThread())
      return "";
    const SharedUnit mine = sharedUnit(units, parts, ranks_.rank(), ranks_.size());
    attempt_->todo.clear();
    if (mine.blocks.begin == mine.blocks.end) // fewer parts than ranks
      return what;
    attempt_->todo.push_back(left[static_cast<std::size_t>(mine.unit)]);
    attempt_->shared =
        sharedBlocks(ranks_, mine.first, mine.ranks, mine.blocks.begin, mine.blocks.end);
    return what;
  }

  /// The units of this rank; when it returns all ranks' are on disk. `all`: work of all ranks.
  bool takeAll(double all, Found &found) {
    Attempt &a = *attempt_;
    std::atomic<double> progressed{0};
    a.workers = job_.workers(a.todo.size());
    a.progress = [&](double tqp) { progressed += tqp; };
    UnitsToTake take;
    take.units = a.todo;
    take.workers = a.workers.workers;
    take.worker = [&](const std::atomic<bool> *leave) { return job_.worker(a, leave); };
    take.stops = a.shared == nullptr;
    take.meanwhile = [&] {
      ranks_.tell(progressed);
      if (job_.first())
        job_.progress().show(ranks_.size() > 1 ? ranks_.told() : double(progressed), all);
    };
    take.stopping = [&](double seconds, bool leaves) {
      result_->flush();
      if (job_.first())
        job_.progress().stopping(seconds, leaves);
    };
    if (job_.first()) {
      take.seconds = job_.secondsOfUnit(a.workers);
      job_.progress().begin(found.units, job_.threads(),
                            take.seconds * static_cast<double>(a.todo.size()) / take.workers);
    }
    const Stopwatch watch;
    const UnitsTaken taken = takeUnits(take);
    result_->flush();
    stage("units of this rank on disk");
    const Job::Counts counts = job_.takeCounts();
    double sums[] = {counts.evaluations, counts.repaired, progressed};
    ranks_.sum(sums, 3);
    const bool stopped = ranks_.max(taken.stopped ? 1 : 0) > 0; // and all have flushed
    job_.progress().end();
    stage("units of all ranks on disk");
    found.evaluations = static_cast<std::int64_t>(sums[0]);
    found.repaired = static_cast<std::int64_t>(sums[1]);
    found.tqp = sums[2];
    found.threads = job_.threads();
    found.seconds = watch.seconds();
    return !stopped;
  }

  Job &job_;
  Communicator &ranks_;
  const std::string &path_;
  TiledFile file_;
  std::unique_ptr<TiledResult> result_;
  std::unique_ptr<Attempt> attempt_;
};

} // namespace

Job::Job(const Experiment &e, const HowToRun &how, Communicator &ranks)
    : e_(e), how_(how), ranks_(ranks), threads_(threadsOf(e, ranks)),
      memory_(e.memory.empty() ? 0 : parseBytes(e.memory)) {}

void Job::say(const std::string &text) {
  progress_.end();
  fmt::print(stderr, "facet: {}\n", text);
}

void Job::shareKernels(std::vector<Kernel> &kernels) const {
  std::string paths;
  for (const Kernel &kernel : kernels)
    paths += kernel.path() + '\n';
  ranks_.broadcast(paths);
  std::istringstream lines(first() ? "" : paths);
  for (std::string path; std::getline(lines, path);)
    kernels.push_back(Kernel::load(path));
}

std::string Job::hashOfKernels(const std::vector<Kernel> &kernels) const {
  Hash hash;
  for (const Kernel &kernel : kernels) {
    addCode(hash, kernel);
    for (const double p : kernel.parameters(e_.parameters))
      hash.field(fmt::format("{:a}", p));
  }
  return hash.hex();
}

Queues *Job::queuesOf(const Kernel &kernel, const std::string &target) {
  if (!runsOnDevice(kernel, target))
    return nullptr;
  if (!queues_)
    queues_ = openQueues(target);
  return queues_.get();
}

void runJob(Job &job) {
  Found found;
  bool fresh = false;
  const Experiment &e = job.experiment();
  JobRun run(job);
  {
    const StopRequest stop;
    fresh = run.compute(found);
  }
  if (!job.first())
    return;
  if (fresh) {
    job.describe(run.result(), found);
    describe(e, job.used(), found);
    stage("computed and measured");
    run.result().finalise(found.process, job.how().compress);
    stage("data written");
  } else { // perhaps stopped while its pictures were drawn
    fmt::print("data       {}: finished already\n", e.output);
  }
  const Lines drawn = job.draw(fresh);
  stage("pictures written");
  if (fresh)
    report(e, job.used(), found, drawn);
  else
    print(drawn);
}

} // namespace facet::cli
