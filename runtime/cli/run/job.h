// job.h - what facet run carries out and facet plan looks at: F on one grid, or a whole experiment.
//
// runJob has the one loop over ways to run and over units, with ranks, journals, stops, resuming. A
// Job says what is special: what a unit is, how it is computed, what is stored, how it is judged.
#pragma once
#include "runtime/blocks/mpi/communicator.h"
#include "runtime/blocks/scaling.h"
#include "runtime/blocks/take_units.h"
#include "runtime/cli/run/prepare.h"
#include "runtime/cli/run/progress.h"
#include "runtime/output/tiled/tiled_result.h"
#include "runtime/plan/blocks/tree.h"
#include "runtime/plan/errors/rule.h"
#include "runtime/plan/grid/cut.h"
#include <atomic>
#include <mutex>
#include <utility>

namespace facet::cli {

/// How a run is carried out, beside what it computes.
struct HowToRun {
  std::string schedules;  // as for schedulesHere
  std::string timeline;   // a picture of the device's streams; "" for none
  std::string cut;        // as the job reads it; "": the default
  bool resume = false;    // go on with a stopped run
  bool overwrite = false; // discard what a stopped run has finished
  bool compress = false;
};

/// Lines of a report: {"sizes", "20 x 30 x 10 nm"}; an empty name continues the line before.
using Lines = std::vector<std::pair<std::string, std::string>>;
/// A line, if there is something to say.
inline void add(Lines &lines, const std::string &name, const std::string &text) {
  if (!text.empty())
    lines.emplace_back(name, text);
}

/// What a run has found, on rank 0: for people and for the result file.
struct Found {
  std::string kernel, algorithm, units;
  Lines head, how, errors; // before the kernel, after the algorithm, after the measured error
  std::string measuredBy;  // "64 q in double, seed 1"
  std::optional<runtime::Measured> measured;
  std::string amplitude;     // what keeps the contract beside F, and its error relative to its
  double amplitudeError = 0; // largest; 0: nothing does
  runtime::RuleError rule;   // of kernels that take a triangle for a point
  double seconds = 0, tqp = 0;
  std::int64_t evaluations = 0; // of F; 0: one, which is not worth a word
  std::int64_t repaired = 0;
  int threads = 1, ranks = 1;
  runtime::nexus::Process process; // what the result file says, beside these
};

/// What facet plan says of a job.
struct Outlook {
  Lines lines, after;    // before and after the error of the rule
  std::string ofChoices; // whose choices follow; "": there is one body
  std::vector<runtime::Choice> choices;
  runtime::Choice taken;
  runtime::RuleError rule;
  runtime::ScalingCosts costs;
  int threads = 1;
  std::string title; // of a picture of what ranks would give
};

/// Threads of a process that take units, and those inside a unit.
struct Workers {
  int workers = 1, inside = 1;
};

/// One attempt to compute all units, as a process sees it.
struct Attempt {
  runtime::TiledResult &result;
  std::vector<bool> before;                      // by unit: finished by an earlier run
  std::vector<std::int64_t> todo;                // by this rank
  std::unique_ptr<runtime::SharedBlocks> shared; // of the only unit that is to be done; or null
  Workers workers;
  std::function<void(double)> progress; // gets triangle-q-points as they are done, from any thread
};

class Job {
public:
  Job(const runtime::Experiment &e, const HowToRun &how, runtime::Communicator &ranks);
  Job(const Job &) = delete;
  Job &operator=(const Job &) = delete;
  virtual ~Job() = default;

  /// What the result is of, without plan and version of facet.
  virtual runtime::Identity identity() const = 0;
  /// 32 hex digits of what is computed, whatever the plan: kept in the result as "problem".
  virtual std::string problem() const = 0;

  /// On rank 0, before the rest: plans, or gets ready to.
  virtual void prepare() = 0;
  /// On rank 0: all that fixes the bits of the next attempt, as a text. `before`: that of a stopped
  /// run, which is followed, since another plan could have other bits; "": there is none. Throws
  /// Error if it cannot be.
  virtual std::string decide(const std::string &before) = 0;
  /// From now on units are those of this decision.
  virtual void take(const std::string &decision) = 0;

  virtual runtime::Cutter units() const = 0;
  /// Triangle-q-points, about.
  virtual double work(std::int64_t unit) const = 0;
  /// Parts of a unit that several ranks may compute: "t blocks"; fewer than 2: they may not.
  virtual std::pair<std::int64_t, std::string> parts() const = 0;
  /// "8 of 1 x 240 x 256 q", for people.
  virtual std::string unitsText() const = 0;
  virtual runtime::TiledFile file() const = 0;
  virtual Workers workers(std::size_t todo) const = 0;
  /// Expected of a unit, by one of such workers. On rank 0.
  virtual double secondsOfUnit(const Workers &workers) const = 0;
  /// What computes units in one of the workers, and writes them; see UnitsToTake.
  virtual runtime::OneUnit worker(const Attempt &attempt, const std::atomic<bool> *leave) = 0;

  /// All ranks together, when all units are on disk: measures. On rank 0: whether to compute all of
  /// it again, more accurately; then decide() does.
  virtual bool judge(const Attempt &attempt, const Found &found) = 0;
  /// On rank 0, the last: what there is to say, before `result` is finalised.
  virtual void describe(runtime::TiledResult &result, Found &found) = 0;
  /// Draws what is finished, by this run (`fresh`) or by an earlier one: a line a file.
  virtual Lines draw(bool fresh) = 0;

  /// On rank 0, after prepare(): what a run would do.
  virtual Outlook outlook() = 0;

  const runtime::Experiment &experiment() const { return e_; }
  const HowToRun &how() const { return how_; }
  runtime::Communicator &ranks() const { return ranks_; }
  bool first() const { return ranks_.rank() == 0; }
  const UsedKernel &used() const { return used_; }
  int threads() const { return threads_; }
  Progress &progress() { return progress_; }
  /// Since it was made.
  double seconds() const { return made_.seconds(); }
  /// On standard error.
  void say(const std::string &text);

  /// What workers have added up in an attempt.
  struct Counts {
    double evaluations = 0, repaired = 0;
  };
  Counts takeCounts() { return std::exchange(counts_, {}); }

protected:
  /// Rank 0's libraries for all.
  void shareKernels(std::vector<runtime::Kernel> &kernels) const;
  /// Hash of names, manifests and parameters.
  std::string hashOfKernels(const std::vector<runtime::Kernel> &kernels) const;
  /// The queues of the device that the target is for, opened once; null if CPUs run it.
  runtime::Queues *queuesOf(const runtime::Kernel &kernel, const std::string &target);

  const runtime::Experiment e_;
  const HowToRun how_;
  runtime::Communicator &ranks_;
  int threads_;   // of this rank
  double memory_; // bytes of this rank that are allowed; 0: most of what is free
  UsedKernel used_;
  Progress progress_;
  std::mutex mutex_; // of what workers find
  Counts counts_;

private:
  const runtime::Stopwatch made_;
  std::unique_ptr<runtime::Queues> queues_;
};

std::unique_ptr<Job> gridJob(const runtime::Experiment &e, const HowToRun &how,
                             runtime::Communicator &ranks);
std::unique_ptr<Job> sceneJob(const runtime::Experiment &e, const HowToRun &how,
                              runtime::Communicator &ranks);

/// All ranks together: computes the units that no earlier run has finished, each by one of the
/// ranks, until the contract is met or there is no other way; writes the files, and reports on rank
/// 0. Throws Error: those of units, of the result file, of a stop, of a contract that was missed
/// (the files are kept then).
void runJob(Job &job);

/// One parameter that takes one value after the other, an axis of the result: F for each, in memory.
/// Throws Error.
void runSweep(const runtime::Experiment &e, const runtime::Sweep &sweep, const HowToRun &how,
              runtime::Communicator &ranks);

/// Prints what was found and drawn, and throws if the contract was missed.
void report(const runtime::Experiment &e, const UsedKernel &used, const Found &found,
            const Lines &drawn);
void print(const Lines &lines);
/// Fills in what the result files of all jobs say.
void describe(const runtime::Experiment &e, const UsedKernel &used, Found &found);
/// "12 ms", "3.4 s".
std::string showSeconds(double seconds);
/// Prints what facet plan says.
void report(const Outlook &outlook, double accuracy);

} // namespace facet::cli
