// inside.h - what facet's own programs take from a plan beyond its interface.
#pragma once
#include "runtime/engine/check/sample.h"
#include "runtime/engine/device/timeline.h"
#include "runtime/engine/plan/evaluator.h"

namespace facet::runtime {

/// The choice taken, to be carried out unit by unit, with the cut that the problem gives.
Decision decisionOf(const Plan &plan);
/// Takes the choice that a Decision of the same problem was made for; false if there is none.
bool follow(Plan &plan, const Decision &decision);
/// Carries a Decision out with this plan's device.
std::unique_ptr<Evaluator> evaluatorOf(Plan &plan, const Decision &decision,
                                       std::shared_ptr<RecordBlocks> slices, Resources resources);
/// Starts the timeline of a device's streams. To be called before evaluators are at work.
void startTimeline(Plan &plan);
/// The place for F in grid order, which units write. There is no F before this is called, or after
/// another choice is taken.
std::complex<double> *placeOf(Plan &plan);
/// Makes what was computed unit by unit the last execution.
void setExecuted(Plan &plan, const Executed &executed);

/// Measures the error of what was computed, given where |F| is smallest and largest; if q.z is
/// complex, F has to be in placeOf(), too.
Measured measure(Plan &plan, const Extremes &extremes, const Compare &compare);
/// The q that are compared.
std::vector<Sampled> sampleOf(Plan &plan, const Extremes &extremes);
const References &referencesOf(const Plan &plan);

const Kernel &kernelOf(const Plan &plan);
/// The variant that sums; for nufft a direct one: that which repairs small q, if there is one.
const facet_variant &variantOf(const Plan &plan);
/// How many records are summed: triangles, or nodes of quadrature rules; 0 for transforms.
std::int64_t summedBy(Plan &plan);
/// Keeps the times of a device's calls from the next execute on, which costs a wait or two each.
void recordDevice(Plan &plan, bool on = true);
/// The calls of the last execute, if they were kept; none on CPUs.
Timeline timelineOf(const Plan &plan);

/// If the contract is missed and the class was not forced, takes the next choice, and `say` gets a
/// sentence. Returns false if there is none, or no need.
bool nextChoice(Plan &plan, const Measured &measured,
                const std::function<void(const std::string &)> &say);

} // namespace facet::runtime
