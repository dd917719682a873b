// job.h - what facet run carries out and facet plan looks at: F on one grid, or a whole experiment.
//
// Job has what these share: inputs, the one loop over ways to run and over units, with ranks,
// journals, stops, resuming, and the report. GridJob and SceneJob say what is special: what a unit
// is, how one is computed and stored, how all are judged.
#pragma once
#include "runtime/app/jobs/mesh_input.h"
#include "runtime/app/jobs/prepare.h"
#include "runtime/app/jobs/progress.h"
#include "runtime/engine/plan/tree.h"
#include "runtime/engine/run/mpi/communicator.h"
#include "runtime/engine/run/take_units.h"
#include "runtime/engine/store/tiled_result.h"
#include "runtime/engine/sum/cut.h"
#include "runtime/scattering/scene/remarks.h"
#include <atomic>
#include <mutex>
#include <utility>

namespace facet::cli {

/// How a run is carried out, beside what it computes.
struct HowToRun {
  std::string schedules;  // as schedulesHere takes it
  std::string timeline;   // a picture of the device's streams; "" for none
  std::string cut;        // a text that the job reads; "": the default
  std::string gradientOf; // observed intensities, which the result is compared with; "": none
  std::vector<std::string> gradientKeys; // numbers to differentiate by, beside vertices
  bool resume = false;                   // go on with a stopped run
  bool overwrite = false;                // discard what a stopped run has finished
  bool compress = false;
};

/// Lines of a report: {"sizes", "20 x 30 x 10 nm"}; an empty name continues the line before.
using Lines = std::vector<std::pair<std::string, std::string>>;
/// A line, if there is something to say.
inline void add(Lines &lines, const std::string &name, const std::string &text) {
  if (!text.empty())
    lines.emplace_back(name, text);
}

/// What rank 0 has found in a run, for people and for the result file.
struct RunReport {
  std::string algorithm, units;
  Lines head, how, errors; // before the kernel, after the algorithm, after the measured error
  Lines reduced;           // quantiles and totals
  Lines derivatives;       // of a misfit
  Lines pictures;          // of other things than the result
  std::string measuredBy;  // "64 q in double, seed 1"
  std::optional<runtime::Measured> measured;
  std::string amplitude;     // what keeps the contract beside F, and its error,
  double amplitudeError = 0; // relative to its largest; 0: nothing does
  runtime::RuleError rule;   // of kernels that take a triangle for a point
  std::string remark;        // on F at q = 0, a warning; "": none
  double seconds = 0, tqp = 0;
  std::string unitsOfDerivatives;
  double secondsOfDerivatives = 0;
  std::int64_t evaluations = 0; // of F; 0: there is one, which is not reported
  std::int64_t repaired = 0;
  int ranks = 1;
  runtime::nexus::Process process; // what the result file says, beside these
};

/// What facet plan says of a job.
struct PlanReport {
  Lines what, how;       // on what is computed, beside sizes; on how
  std::string work;      // "768 records, 1000 q: 7.68e+05 triangle-q-points"
  double seconds = 0;    // of all threads
  std::string reading;   // how much of it is reading, ", 2 s of it .."
  std::string memory;    // "1.2 MB of 8 GB allowed"
  double error = 0;      // expected
  std::string ofChoices; // the body of these choices; "": there is one
  std::vector<runtime::Choice> choices;
  runtime::Choice taken;
  runtime::RuleError rule;
};

/// The units of a decision; every rank finds the same.
struct UnitPlan {
  runtime::Cutter cutter;
  std::vector<double> work = {}; // triangle-q-points of each, about
  std::string text = {};         // "8 of 1 x 240 x 256 q", for people
  std::int64_t parts = 1;        // that ranks may share in a unit; 1: they may not
  std::string ofParts = {};      // what parts are: "t blocks"
  runtime::TiledFile file = {};  // that units are written to
};

/// Threads of a process that take units, and those inside a unit.
struct Workers {
  int workers = 1, inside = 1;
  double seconds = 0; // that a worker is expected to take for a unit; on rank 0
};

/// One attempt to compute all units, as a process sees it.
struct Attempt {
  runtime::TiledResult &result;
  std::int64_t first = 0;                        // the number of its unit 0 in the result
  std::vector<bool> before;                      // by unit: finished by an earlier run
  std::vector<std::int64_t> todo;                // units that this rank is to do
  std::unique_ptr<runtime::SharedBlocks> shared; // of the only unit to be done; or null
  Workers workers;
  std::function<void(double)> progress; // gets triangle-q-points as they are done, from any thread
};

/// Units that a run takes when all values are on disk and judged, and that are computed from these
/// values: its derivatives. The same ranks, threads, journals and stops serve both.
class SecondPass {
public:
  SecondPass() = default;
  SecondPass(const SecondPass &) = delete;
  SecondPass &operator=(const SecondPass &) = delete;
  virtual ~SecondPass() = default;

  /// The work of each unit, in any measure.
  virtual std::vector<double> work() const = 0;
  virtual Workers workers(std::size_t todo) const = 0;
  virtual runtime::OneUnit worker(const Attempt &attempt, const std::atomic<bool> *leave) = 0;
};

/// The constructor reads meshes and kernels, on all ranks together.
class Job {
public:
  Job(const runtime::Experiment &e, const HowToRun &how, runtime::Communicator &ranks);
  Job(const Job &) = delete;
  Job &operator=(const Job &) = delete;
  virtual ~Job() = default;

  /// All ranks together compute the units that no earlier run has finished, each by one rank, until
  /// the contract is met or there is no other way. Writes the files, and reports on rank 0. Throws
  /// Error for failed units, for the result file, for a stop, and for a contract that was missed
  /// (the files are kept then).
  virtual void run();
  /// Prints what a run would do, and returns it.
  void plan();
  int threads() const { return threads_; }

protected:
  // What is special to a job
  // ---------------------------------------------------------------------------
  /// On rank 0, before the rest: plans, or gets ready to plan.
  virtual void prepare() = 0;
  /// On rank 0: a text of all that fixes the bits of the next attempt. `before`: the text of a
  /// stopped run, or "" if there is none; it is followed, since another plan could have other bits.
  /// Throws Error if it cannot be followed.
  virtual std::string decide(const std::string &before) = 0;
  /// From now on units are those of this decision.
  virtual UnitPlan take(const std::string &decision) = 0;
  virtual Workers workers(std::size_t todo) const = 0;
  /// What units are of, where a run always says how long it takes: "curve of 200 q, units: ".
  virtual std::string called() const { return ""; }
  /// Returns what computes units in one of the workers, and writes them; see UnitsToTake.
  virtual runtime::OneUnit worker(const Attempt &attempt, const std::atomic<bool> *leave) = 0;
  /// All ranks together, when all units are on disk: measures the error. On rank 0 returns whether
  /// to compute all units again, more accurately; decide() then plans them.
  virtual bool judge(const Attempt &attempt, const RunReport &found) = 0;
  /// The units that follow those of the decision in hand; null if none do.
  virtual SecondPass *after() { return nullptr; }
  /// On rank 0, as the last: fills in what there is to say, before `result` is finalised.
  virtual void describe(runtime::TiledResult &result, RunReport &found) = 0;
  /// On rank 0, after prepare(): what a run would do.
  virtual PlanReport outlook() = 0;

  // What jobs have in common
  // ---------------------------------------------------------------------------
  bool first() const { return ranks_.rank() == 0; }
  /// Seconds since the job was made.
  double seconds() const { return made_.seconds(); }
  /// Prints to standard error.
  void say(const std::string &text);
  /// Gives all ranks the libraries of rank 0.
  void shareKernels(std::vector<runtime::Kernel> &kernels) const;
  /// The queues of the device that the target is for, opened once; null if CPUs run it.
  runtime::Queues *queuesOf(const runtime::Kernel &kernel, const std::string &target);
  /// Warns of what is wrong with meshes and columns.
  void warnOfInputs() const;
  /// Keeps the text on sizes, and warns of what is wrong with them.
  void setSizes(const std::vector<runtime::Sizes> &found);
  /// The error of taking triangles for points: the worst of the first meshes.
  runtime::RuleError ruleOf(const runtime::Grid &grid) const;
  /// What ranks take until they have kernel and meshes. `units`: how many a run has.
  /// Throws Error if the requested quantiles or totals cannot be made of these outputs.
  void checkReductions(const runtime::Grid &grid) const;
  /// Makes the requested quantiles and totals of all values of F, for the file and for people.
  void reduce(const runtime::TiledResult &result, const runtime::Grid &grid,
              RunReport &found) const;
  /// Fills in what all result files say.
  void tellProcess(RunReport &found) const;
  /// Draws the result file, prints what was found; throws if the contract was missed.
  void report(const RunReport &found) const;

  const runtime::Experiment e_;
  const HowToRun how_;
  runtime::Communicator &ranks_;
  int threads_;   // of this rank
  double memory_; // bytes of this rank that are allowed; 0: most of what is free
  UsedKernel used_;
  Progress progress_;
  std::vector<runtime::Kernel> kernels_;
  MeshInputs inputs_;                     // a mesh for each particle
  std::string gridHash_;                  // of a grid that is not in the experiment's text
  std::string observedHash_;              // of all that derivatives depend on
  std::vector<std::string> sizes_;        // lines for people, on rank 0
  std::mutex mutex_;                      // guards what workers find
  double evaluations_ = 0, repaired_ = 0; // sums of all workers in an attempt

private:
  Lines draw() const;
  runtime::Identity identity() const;
  std::string problem() const;
  bool agreed(char yes) const;
  bool finishedBefore() const;
  bool compute(RunReport &found);
  bool attempt(bool resume, bool overwrite, RunReport &found);
  bool derive(RunReport &found);
  std::vector<bool> open(const std::string &decision, const UnitPlan &units, bool resume,
                         bool overwrite);
  std::string shareUnits(const UnitPlan &all);
  struct LoopEnd;
  struct UnitLoop;
  LoopEnd takeAll(const UnitLoop &how);

  const runtime::Stopwatch made_;
  std::unique_ptr<runtime::Queues> queues_;
  runtime::TiledFile file_;
  std::unique_ptr<runtime::TiledResult> result_;
  std::unique_ptr<Attempt> attempt_;
  std::vector<bool> beforeAfter_; // units of SecondPass that an earlier run has finished
};

/// `sweep`: a parameter that takes one value after the other, which are an axis of the result; F of
/// all values is kept in memory.
std::unique_ptr<Job> gridJob(const runtime::Experiment &e, const HowToRun &how,
                             runtime::Communicator &ranks,
                             const std::optional<runtime::Sweep> &sweep = {});
std::unique_ptr<Job> sceneJob(const runtime::Experiment &e, const HowToRun &how,
                              runtime::Communicator &ranks);

void print(const Lines &lines);
/// The requested quantiles and totals, "quantiles 0.01, 0.05; total"; "" if there are none.
std::string reductionsOf(const runtime::Experiment &experiment);
/// "; --cut 1,100,0 is 1,144,64 here" if a number of --cut that is given is not what was taken;
/// 0 of `taken`: not known. Otherwise "".
std::string cutTaken(const std::string &cut, const std::vector<std::int64_t> &taken);
/// "12 ms", "3.4 s".
std::string showSeconds(double seconds);

} // namespace facet::cli
