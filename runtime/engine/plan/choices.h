// choices.h - every way to run a kernel on a grid, with the time, memory and error to expect.
#pragma once
#include "runtime/engine/check/sample.h"
#include "runtime/engine/kernel/inside.h"
#include "runtime/engine/plan/error_model.h"
#include "runtime/engine/plan/profile.h"
#include "runtime/engine/sum/card.h"
#include "runtime/engine/sum/sums.h"
#include "runtime/engine/system/hash.h"
#include <cmath>

namespace facet::runtime {

/// The model may use half of the error allowed: what it gets wrong must fit into the rest.
constexpr double modelShare = 0.5;

/// Direct sums in f64 of fewer triangle-q-points take less time than it takes to choose: some 20 ms
/// if a term of a slow kernel takes 10 ns.
constexpr double smallProblem = 2e6;
/// Throws Error unless it is from mostAccuracy to leastAccuracy.
void checkAccuracy(double accuracy);

/// For each bin, the error of the sum at its q, before finish amplifies it.
std::vector<double> sumErrors(const PlannedChoice &choice, const ErrorModel &risk,
                              const Records &records);
/// At most `count` q where the choice's error relative to max|F| is expected to be largest, the
/// largest first. q are left out if their error is beyond `limit` times the scale of their bin:
/// they are repaired. `bands`: max|F| is that of the q's band; null if q.z is real.
std::vector<std::int64_t> worstExpected(const PlannedChoice &choice, const SumContext &work,
                                        const ErrorModel &risk, const Bands *bands, double limit,
                                        std::size_t count);
/// What identifies the code of a library: name and manifest (hashes, versions).
void addCode(Hash &hash, const Kernel &kernel);
/// All choices that the options allow, with what to expect of each, also refused ones (at least one
/// an algorithm). Measures those speeds that the profile lacks and that could matter, but nothing
/// for a small problem.
/// `precise`: direct, points, f64, which repairs; null if the library has none.
std::vector<PlannedChoice> plannedChoices(const PlanProblem &by, const ErrorModel &risk,
                                          const facet_variant *precise, Profile &profile);
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
