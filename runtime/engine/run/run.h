// run.h - a run: units over threads and ranks, attempt by attempt, until the contract is met; with
// journals, stops, resuming. It prints nothing.
#pragma once
#include "runtime/engine/plan/tree.h"
#include "runtime/engine/run/events.h"
#include "runtime/engine/run/mpi/communicator.h"
#include "runtime/engine/run/take_units.h"
#include "runtime/engine/store/tiled_result.h"
#include "runtime/engine/sum/cut.h"
#include <atomic>
#include <memory>

namespace facet::runtime {

/// The units of a decision; every rank finds the same.
struct UnitPlan {
  Cutter cutter;
  std::vector<double> work = {}; // triangle-q-points of each, about
  std::string text = {};         // "8 of 1 x 240 x 256 q", for people
  std::int64_t parts = 1;        // that ranks may share in a unit; 1: they may not
  std::string ofParts = {};      // what parts are: "t blocks"
  TiledFile file = {};           // that units are written to
};

/// Threads of a process that take units, and those inside a unit.
struct Workers {
  int workers = 1, inside = 1;
  double seconds = 0; // that a worker is expected to take for a unit; on rank 0
};

/// One attempt to compute all units, as a process sees it.
struct Attempt {
  TiledResult &result;
  std::int64_t first = 0;               // the number of its unit 0 in the result
  std::vector<bool> before;             // by unit: finished by an earlier run
  std::vector<std::int64_t> todo;       // units that this rank is to do
  std::unique_ptr<SharedBlocks> shared; // of the only unit to be done; or null
  bool last = false;                    // no other attempt follows, whatever the error
  Workers workers;
  // From any thread: triangle-q-points as they are done; evaluations of F, and q repaired
  std::function<void(double)> progress;
  std::function<void(double evaluations, double repaired)> count;
};

/// What a run came to, of all ranks.
struct RunTotals {
  std::string units; // for people
  double seconds = 0, tqp = 0;
  std::int64_t evaluations = 0; // of F; 0: there is one, which is not reported
  std::int64_t repaired = 0;
  int ranks = 1;
  std::string unitsOfDerivatives;
  double secondsOfDerivatives = 0;
  std::size_t merged = 0; // shares that all units are from; 0: they were computed here
};

/// Units that a run takes when all values are on disk and judged, and that are computed from these
/// values: its derivatives. The same ranks, threads, journals and stops serve both.
class SecondPass {
public:
  SecondPass() = default;
  SecondPass(SecondPass &&) = delete;
  virtual ~SecondPass() = default;

  /// The work of each unit, in any measure.
  virtual std::vector<double> work() const = 0;
  virtual Workers workers(std::size_t todo) const = 0;
  virtual OneUnit worker(const Attempt &attempt, const std::atomic<bool> *leave) = 0;
};

/// What is special to a run: what a unit is, how one is computed and stored, how all are judged.
class RunProblem {
public:
  RunProblem() = default;
  RunProblem(RunProblem &&) = delete;
  virtual ~RunProblem() = default;

  /// On rank 0: whether there is a finished result of this problem, which a run that resumes keeps.
  /// Throws Error if it is of another.
  virtual bool finished() const = 0;
  /// On rank 0, before the rest: plans, or gets ready to plan.
  virtual void prepare() = 0;
  /// On rank 0: a text of all that fixes the bits of the next attempt. `before`: the text of a
  /// stopped run, or "" if there is none; it is followed, since another plan could have other bits.
  /// Throws Error if it cannot be followed.
  virtual std::string decide(const std::string &before) = 0;
  /// From now on units are those of this decision.
  virtual UnitPlan take(const std::string &decision) = 0;
  /// What the bits depend on beside the decision, and what people call its parts.
  virtual Identity identity() const = 0;
  virtual const std::vector<IdentityPart> &parts() const = 0;
  virtual Workers workers(std::size_t todo) const = 0;
  /// Threads of this rank.
  virtual int threads() const = 0;
  /// What units are of, where a run always says how long it takes: "curve of 200 q, units: ".
  virtual std::string called() const { return ""; }
  /// Returns what computes units in one of the workers, and writes them; see UnitsToTake.
  virtual OneUnit worker(const Attempt &attempt, const std::atomic<bool> *leave) = 0;
  /// All ranks together, when all units are on disk: measures the error. On rank 0 returns whether
  /// to compute all units again, more accurately; decide() then plans them.
  virtual bool judge(const Attempt &attempt, const RunTotals &totals) = 0;
  /// The units that follow those of the decision in hand; null if none do.
  virtual SecondPass *after() { return nullptr; }
  /// On rank 0, as the last: what the file says, before it is finalised.
  virtual nexus::Process provenance(TiledResult &result, const RunTotals &totals) = 0;
  /// On rank 0, instead: what a share says, the same whenever and wherever it is made.
  virtual nexus::Process shareProvenance(const RunTotals & /*totals*/) { return {}; }
};

struct RunSettings {
  std::string output;
  bool resume = false;    // go on with a stopped run
  bool overwrite = false; // discard what a stopped run has finished
  bool compress = false;
  /// Computes this share of the units into a file of its own. Nothing is judged: see `merge`.
  ShareNumber share = {};
  /// Where the shares of a run find one plan: the first that has decided writes it.
  std::string planFile = {};
  std::vector<ShareFile> merge = {}; // shares that have all units: none is computed
  double patience = UnitsToTake().patience;
};

/// All ranks together compute the units that no earlier run has finished, each by one rank, until
/// the contract is met or there is no other way. Rank 0 finalises the file. False: an earlier run
/// has finished it. Throws Error for failed units, for the result file, and for a stop.
bool run(RunProblem &problem, const RunSettings &options, Communicator &ranks, RunEvents &events);

} // namespace facet::runtime
