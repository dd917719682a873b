// choices.h - every way to run a kernel on a grid, with the time, memory and error to expect.
#pragma once
#include "runtime/files/hash.h"
#include "runtime/plan/choices/risk.h"
#include "runtime/plan/errors/sample.h"
#include "runtime/plan/grid/cut.h"
#include "runtime/plan/sums/sums.h"
#include "runtime/planner/budget.h"
#include "runtime/planner/profile.h"
#include "runtime/quadrature/nodes.h"
#include <cmath>

namespace facet::runtime {

/// Half of the error allowed is the model's to use: what it gets wrong must fit in the rest.
constexpr double modelShare = 0.5;

/// Direct sums in f64 of fewer triangle-q-points take less time than it takes to choose: some 20 ms
/// if a term of a slow kernel takes 10 ns.
constexpr double smallProblem = 2e6;

/// Of a point of a list, by one of a product: two more products for the phase of each.
constexpr double pointCost = 1.3;

/// A choice with what carries it out.
struct WeighedChoice : Choice {
  std::optional<WaveUnits> units;         // nufft, if PlanOptions::units
  const facet_variant *variant = nullptr; // direct, separable
  const facet_transforms *form = nullptr; // nufft
  std::string help;                       // if there is a refusal
  std::optional<Budget> budget;           // what is held and left while it is carried out
  bool tried = false;
};

/// What transforms are wrong by relative to themselves, so that nothing amplifies it.
double transformShare(double tolerance);
/// The error of the sum at the q of each bin, which finish amplifies.
std::vector<double> sumErrors(const WeighedChoice &choice, const Risk &risk,
                              const Records &records);
/// At most `count` q where the choice's error relative to max|F| is expected to be largest, the
/// largest first, but not those beyond `limit` relative to the scale of their bin: they are
/// repaired. `bands`: max|F| is that of the q's band; null if q.z is real.
std::vector<std::int64_t> worstExpected(const WeighedChoice &choice, const Work &work,
                                        const Risk &risk, const Bands *bands, double limit,
                                        std::size_t count);
/// Whether q that break the contract are computed again: if there is something better.
bool mayRepair(const WeighedChoice &choice, const facet_variant *precise,
               const PlanOptions &options);

/// What rules of nodes for a choice come to, and those of the first triangles.
struct NodeGuess {
  NodeCount ofTriangle;
  std::int64_t nodes = 0;
  std::shared_ptr<const NodeRules> head;
};

/// Everything the choice depends on.
struct Weighing {
  const Work &work;
  const PlanOptions &options;
  const std::string &target;
  const Risk &risk;
  const facet_variant *precise; // direct, points, f64; null if the library has none
  WaveRecords *waves;           // filled, or null
  std::function<const NodeGuess &(const WeighedChoice &)> nodes;
  const Budget &budget;
  bool small; // nothing is measured, no transforms are looked at
};

/// What identifies the code of a library: name and manifest (hashes, versions).
void addCode(Hash &hash, const Kernel &kernel);
/// All choices of the options, also those that are refused (one an algorithm at least), with
/// expectations; measures those speeds that the profile lacks and that could matter, but nothing of
/// a small problem.
std::vector<WeighedChoice> weighedChoices(const Weighing &by, Profile &profile);
/// The choice of least time among those expected to meet the accuracy, else of least error;
/// -1 if all are refused or tried. `below`: only those with less error.
int best(const std::vector<WeighedChoice> &all, double accuracy, double below = HUGE_VAL);
/// "0.05 s expected; separable 0.9 s, direct 3 s".
std::string reasonFor(const std::vector<WeighedChoice> &all, int chosen,
                      const PlanOptions &options);
/// A node rule's tolerance for every q: what is left of the contract after amplification.
std::vector<Shell> shellsFor(const WeighedChoice &choice, const Work &work, const Risk &risk,
                             double accuracy);

} // namespace facet::runtime
