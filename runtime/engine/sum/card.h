// card.h - an algorithm as the planner sees it: why it cannot be taken, the ways to carry it out,
// what each costs, how wrong it is. The planner and the evaluator know algorithms by cards alone.
#pragma once
#include "runtime/engine/sum/algorithm.h"
#include "runtime/engine/sum/nodes/nodes.h"
#include "runtime/engine/sum/speed.h"
#include "runtime/engine/system/budget.h"
#include <functional>
#include <optional>
#include <span>

namespace facet::runtime {

class Card;
class Sums;
class WaveRecords;
struct NufftConstants;

/// Why something cannot be taken, and what to do; empty: it can.
struct Refusal {
  std::string why, help;
};

/// What a way takes whose cost depends on how the grid is cut into units.
struct UnitCost {
  Cut cut;
  std::int64_t count = 0; // units; 0: cannot be done, or not in this room
  double transforms = 0;  // bytes that the transforms of a unit may take: they are laid out by it
  double bytes = 0;       // that a unit takes while it is computed
  int workers = 1;        // units there is room for at a time
  bool inner = false;     // transforms err by sums at the same q too
  double rounding = 0;    // of transforms on floats, relative to sum |b|
  double seconds = 0;     // of all units, one after another
  double byDefault = 0;   // seconds of one, with the default constants: by which cuts are compared
  std::string detail;     // how the transforms of a unit are done
  std::string refusal, help; // not empty: not in any room; else `bytes` is what a unit would take
};
/// Seconds of all units, with `workers` of them at a time.
double secondsOf(const UnitCost &units, int workers);

/// A choice with what carries it out.
struct PlannedChoice : Choice {
  const Card *card = nullptr;
  const facet_variant *variant = nullptr; // that sums; null: other code does
  std::optional<UnitCost> units;          // if PlanOptions::units and the cost depends on them
  double ownError = 0;    // relative to the sums' own values, so that nothing amplifies it
  bool repairable = true; // q that break the contract may be summed again by direct sums in f64
  double again = 0;       // seconds that one of them takes, of all threads
  std::string help;       // if there is a refusal
  std::optional<Budget> budget; // what is held and left while it is carried out
  bool inner = false;           // transforms err by sums at the same q too
  double rounding = 0;          // of transforms on floats, relative to sum |b|
  double nominal = 0; // of units: seconds on two threads, by which ways of one card are compared:
                      // the tolerance, and so bits, must not depend on how many threads there are
  bool tried = false;

  void refuse(const Refusal &by) {
    refusal = by.why;
    help = by.help;
  }
};

/// How many nodes the rules for a choice have, by a guess, and the rules of the first triangles.
struct NodeGuess {
  NodeCount ofTriangle;
  std::int64_t nodes = 0;
  std::shared_ptr<const NodeRules> head;
};

/// What the ways to run depend on.
struct PlanProblem {
  const SumContext &work;
  const PlanOptions &options;
  const std::string &target;
  WaveRecords *waves;  // filled, or null
  std::string noWaves; // why records have no nodes to make waves of; "": they have
  std::function<const NodeGuess &(const PlannedChoice &)> nodes;
  const Budget &budget;
  bool small; // nothing is measured, no transforms are looked at
  /// Choices of the targets that were weighed before this one. What the target has no part in is
  /// among them, so it is not listed again.
  std::span<const PlannedChoice> before;
  double start = 0; // seconds until the target's device can sum

  double q() const { return static_cast<double>(work.grid.size()); }
  bool isList() const { return work.grid.kind == Grid::Kind::Points; }
  double bytesOfF() const;
  /// The budget without what a plan holds beside its units.
  Budget besideUnits() const;
  void refuseBeyondMemory(PlannedChoice &choice) const;
};

/// What this machine takes: measured, or guessed where measuring would not be worth it.
class Speeds {
public:
  virtual ~Speeds() = default;
  virtual Speed of(Sums &sums) = 0;
  virtual NufftConstants transforms() = 0;
  /// Seconds of a record at a q by the direct sums in f64 that repair, on one thread.
  virtual double direct() const = 0;
};

/// q that round alike: |q| within a factor of 2.
struct Octave {
  double norm = 0;      // the largest |q|, nm^-1
  double steepness = 0; // of the terms: their change, relative to L, over that of q and columns
  /// Parts of the waves' L that errors of windows add up to: those of sums at outer q, and those of
  /// sums at these q too. 1: not known.
  double outer = 1, inner = 1;
};

/// How a unit is carried out, and with what.
struct CardRun {
  const HowToSum &how;
  const std::string &target;
  int q;                   // its kind
  double accuracy, memory; // the contract; bytes
  int threads;
  std::shared_ptr<const NodeRules> rules; // null if records are no nodes
  std::shared_ptr<WaveRecords> waves;     // of these records, which their owner fills; or null
};

class Card {
public:
  Card(facet_algorithm of, const char *called) : algorithm(of), name(called) {}
  Card(const Card &) = delete;
  Card &operator=(const Card &) = delete;
  virtual ~Card() = default;

  const facet_algorithm algorithm; // by which decisions name it; cards may share it
  const char *const name;          // for people
  bool ofWaves = false;            // sums waves, which may be larger than the kernel's terms
  bool exact = false;              // in f64 nothing is more accurate: what repairs
  bool tables = false;    // of axes: a unit costs its tables, and rows of several x may share them
  bool scheduled = false; // by variants of the library, which have tiles and schedules
  bool repeats = false;   // each unit, by one thread, repeats the work on the records

  /// Why there is no way; empty: see ways().
  virtual Refusal refusal(const PlanProblem &problem) const = 0;
  /// The ways to carry it out; none, without a refusal: it has no part in this problem.
  virtual std::vector<PlannedChoice> ways(const PlanProblem &problem) const = 0;
  /// Sets seconds, bytes, detail and units of a way, or its refusal.
  virtual void cost(PlannedChoice &way, const PlanProblem &problem, Speeds &speeds) const = 0;
  /// Why a unit cannot be done, of a way that would be taken.
  virtual Refusal unitRefusal(const PlannedChoice &, const PlanProblem &) const { return {}; }
  /// The error of the sum, relative to sum |term|.
  virtual double error(const PlannedChoice &way, const Octave &at,
                       const Records &records) const = 0;
  /// Whether the library has what this takes.
  virtual bool runs(const Kernel &kernel, const HowToSum &how, const std::string &target,
                    int q) const = 0;
  virtual std::unique_ptr<Algorithm> carryOut(const SumContext &work, const CardRun &by) const = 0;
};

/// Those of direct and of separable sums.
std::vector<const Card *> sumCards();
/// Every card; tests add theirs. runtime/engine/transform/cards.cpp has the table.
std::vector<const Card *> &cards();
/// The first card with this algorithm. Throws Error.
const Card &cardOf(int algorithm);

/// n random errors add up to 1/sqrt(n) of the sum of their sizes, and to `times` that at the worst
/// q.
double uncancelled(std::int64_t records, double times, double least);
/// Bytes of the q of a list, each time it is copied; 0 for a product.
double listBytes(const Grid &grid);

/// Seconds a q of a unit takes to be written: F and |F|^2 with their checksums, to a file in the
/// system's cache; as seen.
constexpr double secondsToWrite = 50e-9;
/// Why a library does not do, and what to do.
inline constexpr const char *buildItWhole =
    "build it with facet build for this grid, or give facet run the kernel's source";

} // namespace facet::runtime
