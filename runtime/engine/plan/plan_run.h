// plan_run.h - a plan at work: what it keeps between executions, and what facet's own programs take
// from it beyond its interface.
#pragma once
#include "runtime/engine/check/sample.h"
#include "runtime/engine/plan/choices.h"
#include "runtime/engine/plan/evaluator.h"
#include "runtime/engine/sum/queues.h"
#include <map>

namespace facet::runtime {

struct PlanRun {
  PlanRun(Kernel kernel, const Grid &grid, const Mesh &mesh, PlanOptions options);
  PlanRun(PlanRun &&) = delete;

  void choose(); // `target` is known: makes the choices and takes one
  void weigh();  // makes the choices
  /// Adds the choices of a target to those of the targets before it.
  void weigh(const std::string &of, const std::string &noRules);
  /// Whether direct sums in f64 are expected to take less than it takes to choose.
  bool isSmall() const;
  int fastestDirect() const; // in f64; -1 if there is none
  void take(int index);      // takes this choice from now on
  void explain();            // fills `explained`: the choices and the one taken
  [[noreturn]] void refuse() const;
  void keepForNodes(const Mesh &m);
  void recordsChanged();
  void meshChanged();
  void setParams(const std::vector<double> &values);
  /// Brings `risk` up to date; with `scale` max|F| too.
  void updateRisk(bool scale);
  /// The Decision of the choice taken, for units of the grid, with the cut that the problem gives,
  /// or for one unit that is all of it.
  Decision decide(bool units) const;
  /// Takes the choice that a Decision of the same problem was made for; false if there is none.
  bool follow(const Decision &decision);
  /// Which q of a choice are to be repaired.
  std::vector<Decision::Limit> limitsOf(const PlannedChoice &choice) const;
  void setCut(Decision &decision, bool units) const;
  /// q beyond the limits of repair of a Decision, which may be of another grid.
  std::vector<std::int64_t> repairsOf(const Decision &decision) const;
  /// The same with max|F| taken from F as it has been summed.
  std::vector<std::int64_t> repairsBy(const std::complex<double> *values);
  /// Makes `evaluator` ready for the choice taken and the present records and parameters. `ahead`:
  /// makes the whole Decision too, whatever it costs; else limits of repair may wait for the sums.
  void prepare(bool ahead);
  const std::vector<std::complex<double>> &execute(const std::vector<double> &values);
  std::string remark() const;
  std::size_t sizeOfF() const {
    return outputsOf(*kernel).size() * static_cast<std::size_t>(grid.size());
  }
  /// Sums on the device of this target from now on, or on the CPU. Throws Error if it cannot be
  /// opened.
  void sumOn(const std::string &one);
  /// What the choice taken sums with.
  Resources resources();
  /// Carries a Decision out with this plan's device.
  std::unique_ptr<Evaluator>
  evaluatorFor(const Decision &decision, std::shared_ptr<RecordBlocks> blocks, Resources resources);
  /// The place for F in grid order, which units write. There is no F before this is called, or
  /// after another choice is taken.
  std::complex<double> *place();
  /// Makes what was computed unit by unit the last execution.
  void setExecuted(const Executed &executed);
  /// The variant that sums; for nufft a direct one: that which repairs small q, if there is one.
  const facet_variant &variant() const {
    return taken().variant != nullptr ? *taken().variant : *direct;
  }
  /// How many records are summed: triangles, or nodes of quadrature rules; 0 for transforms.
  std::int64_t summed();
  bool useNextChoice();
  /// If the contract is missed and the class was not forced, takes the next choice, and `say` gets
  /// a sentence. Returns false if there is none, or no need.
  bool nextChoice(const Measured &measured, const std::function<void(const std::string &)> &say);
  std::vector<std::complex<double>> joinedF() const;
  /// How F compares with F by transforms of a tighter tolerance.
  struct Beside {
    std::vector<std::int64_t> worst; // the q where they differ most; none: there are no others
    double reach = 1;                // reachOf() the q that were compared
  };
  /// `compare` has F where it is not in place().
  Beside besideTighter(const Bands *bands, std::size_t count, const SampleSources &compare);
  /// The q to compare, chosen by where |F| is smallest and largest (if q.z is complex, by `f`,
  /// too); measuring() is how many seconds the reference may take. `compare` has F where it is not
  /// in place(), or else fewer q are chosen; `reach` gets that of Beside.
  std::vector<SamplePoint> sample(const Extremes &extremes, const SampleSources &compare = {},
                                  double *reach = nullptr);
  double measuring() const { return std::max(0.1 * last.seconds, options.measuring); }
  /// Measures the error of what was computed; if q.z is complex, F has to be in place(), too.
  Measured measure(const Extremes &extremes, const SampleSources &compare);
  /// Rules of nodes of the mesh as it is turned.
  std::shared_ptr<const NodeRules> rulesOf(const std::vector<Shell> &shells) const {
    return std::make_shared<const NodeRules>(mesh, shells, rotation);
  }
  const NodeGuess &guessFor(const PlannedChoice &choice);
  const PlannedChoice &taken() const { return all[static_cast<std::size_t>(index)]; }
  /// Records of the whole mesh, in memory or not.
  std::int64_t size() const {
    return options.whole ? options.whole->blocks->size() : records.size();
  }

  Kernel kernel;
  Grid grid;
  PlanOptions options;
  std::string target;                 // of the choice taken
  std::vector<std::string> targets;   // that are weighed; the first is a CPU's, or it is alone
  std::shared_ptr<RecordBlock> slice; // all records, and their rules if they are nodes
  Records &records;
  Mesh mesh;                            // only for kernels whose records may be nodes
  std::vector<WeightedRecord> standing; // stand for its triangles, once their nodes are guessed
  Matrix3 rotation = noRotation;
  std::shared_ptr<Pool> pool;
  SharedQueues queues; // of the devices that targets are for
  Recorder recorder;   // of the calls of the device that sums
  std::function<void(double, double)> progress;
  std::vector<double> params;
  std::vector<std::int64_t> zeros; // q = 0 exactly, where `origin` sets F or F has no value
  SumContext work;

  const facet_variant *direct = nullptr;  // a direct variant, for its finish
  const facet_variant *precise = nullptr; // direct, points, f64: for repair and pilot
  std::shared_ptr<WaveRecords> waves;     // null if the kernel has none
  std::unique_ptr<References> references; // of the whole mesh, in memory or not
  std::unique_ptr<ErrorModel> risk;
  std::map<std::string, NodeGuess> guesses;
  Profile profile;
  Budget budget;

  bool small = false; // see isSmall(): other choices have guessed times
  std::vector<PlannedChoice> all;
  int index = -1;
  Explained explained;
  std::shared_ptr<RecordBlocks> slices; // that execute() sums
  std::unique_ptr<Evaluator> evaluator; // of the whole grid; null until the first execute
  bool decided = false; // the whole Decision is made for the present records and parameters
  double done = 0;      // triangle-q-points of the execute in hand

  std::vector<std::complex<double>> f; // one output after the other
  bool computed = false;               // f is F of the present mesh, by execute()
  Executed last;
};

} // namespace facet::runtime
