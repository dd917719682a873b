// choices.h - every way to run a kernel on a grid, with the time, memory and error to expect.
#pragma once
#include "runtime/engine/check/sample.h"
#include "runtime/engine/kernel/inside.h"
#include "runtime/engine/plan/error_model.h"
#include "runtime/engine/plan/profile.h"
#include "runtime/engine/sum/cut.h"
#include "runtime/engine/sum/nodes/nodes.h"
#include "runtime/engine/sum/sums.h"
#include "runtime/engine/system/budget.h"
#include "runtime/engine/system/hash.h"
#include <cmath>

namespace facet::runtime {

/// The model may use half of the error allowed: what it gets wrong must fit into the rest.
constexpr double modelShare = 0.5;

/// Direct sums in f64 of fewer triangle-q-points take less time than it takes to choose: some 20 ms
/// if a term of a slow kernel takes 10 ns.
constexpr double smallProblem = 2e6;

/// A choice with what carries it out.
struct PlannedChoice : Choice {
  std::optional<WaveUnits> units;         // nufft, if PlanOptions::units
  const facet_variant *variant = nullptr; // direct, separable
  const facet_transforms *form = nullptr; // nufft
  std::string help;                       // if there is a refusal
  std::optional<Budget> budget;           // what is held and left while it is carried out
  bool tried = false;
};

/// The error of transforms relative to their own values, so that nothing amplifies it.
double transformShare(double tolerance);
/// For each bin, the error of the sum at its q, before finish amplifies it.
std::vector<double> sumErrors(const PlannedChoice &choice, const ErrorModel &risk,
                              const Records &records);
/// At most `count` q where the choice's error relative to max|F| is expected to be largest, the
/// largest first. q are left out if their error is beyond `limit` times the scale of their bin:
/// they are repaired. `bands`: max|F| is that of the q's band; null if q.z is real.
std::vector<std::int64_t> worstExpected(const PlannedChoice &choice, const SumContext &work,
                                        const ErrorModel &risk, const Bands *bands, double limit,
                                        std::size_t count);
/// Whether q that break the contract are repaired, which needs something more accurate.
bool mayRepair(const PlannedChoice &choice, const facet_variant *precise,
               const PlanOptions &options);

/// How many nodes the rules for a choice have, by a guess, and the rules of the first triangles.
struct NodeGuess {
  NodeCount ofTriangle;
  std::int64_t nodes = 0;
  std::shared_ptr<const NodeRules> head;
};

/// Everything the choice depends on.
struct PlanProblem {
  const SumContext &work;
  const PlanOptions &options;
  const std::string &target;
  const ErrorModel &risk;
  const facet_variant *precise; // direct, points, f64; null if the library has none
  WaveRecords *waves;           // filled, or null
  std::function<const NodeGuess &(const PlannedChoice &)> nodes;
  const Budget &budget;
  bool small; // nothing is measured, no transforms are looked at
};

/// What identifies the code of a library: name and manifest (hashes, versions).
void addCode(Hash &hash, const Kernel &kernel);
/// All choices that the options allow, with what to expect of each, also refused ones (at least one
/// an algorithm). Measures those speeds that the profile lacks and that could matter, but nothing
/// for a small problem.
std::vector<PlannedChoice> plannedChoices(const PlanProblem &by, Profile &profile);
/// The choice of least time among those expected to meet the accuracy, else of least error; -1 if
/// all are refused or tried. `below`: only choices with a smaller error are taken.
int best(const std::vector<PlannedChoice> &all, double accuracy, double below = HUGE_VAL);
/// "0.05 s expected; separable 0.9 s, direct 3 s".
std::string reasonFor(const std::vector<PlannedChoice> &all, int chosen,
                      const PlanOptions &options);
/// A node rule's tolerance for every q: what is left of the contract after amplification.
std::vector<Shell> shellsFor(const PlannedChoice &choice, const SumContext &work,
                             const ErrorModel &risk, double accuracy);

} // namespace facet::runtime
