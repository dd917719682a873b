// inside.h - what facet's own programs take from a plan beyond its interface.
#pragma once
#include "runtime/device/timeline.h"
#include "runtime/plan/blocks/evaluator.h"
#include "runtime/plan/errors/sample.h"

namespace facet::runtime {

/// The choice taken, to be carried out unit by unit, with the cut that the problem gives.
Decision decisionOf(const Plan &plan);
/// Takes the choice that a Decision of the same problem is of; false if there is none.
bool follow(Plan &plan, const Decision &decision);
/// Carries a Decision out with this plan's device.
std::unique_ptr<Evaluator> evaluatorOf(Plan &plan, const Decision &decision,
                                       std::shared_ptr<Slices> slices, int threads);
/// The timeline of a device's streams begins now; before evaluators are at work.
void startTimeline(Plan &plan);
/// F in grid order, to be written by units; until this is called, and after another choice is
/// taken, there is none.
std::complex<double> *placeOf(Plan &plan);
/// What was computed unit by unit, as the last execute.
void setExecuted(Plan &plan, const Executed &executed);

/// Measures the error of what was computed, given where |F| is smallest and largest; if q.z is
/// complex, F has to be in placeOf(), too.
Measured measure(Plan &plan, const Extremes &extremes, const Compare &compare);
/// The q that are compared.
std::vector<Sampled> sampleOf(Plan &plan, const Extremes &extremes);
const References &referencesOf(const Plan &plan);

const Kernel &kernelOf(const Plan &plan);
/// The variant that sums; of nufft the one that repairs small q.
const facet_variant &variantOf(const Plan &plan);
/// Records of a sum: triangles, or nodes of quadrature rules; 0 for transforms.
std::int64_t summedBy(Plan &plan);
/// From the next execute on keeps the times of a device's calls, which costs a wait or two each.
void recordDevice(Plan &plan, bool on = true);
/// The calls of the last execute, if they were kept; none on CPUs.
Timeline timelineOf(const Plan &plan);

/// If the contract is missed and the class was not forced, takes the next choice, and `say` gets
/// a sentence. False: there is none, or no need.
bool nextChoice(Plan &plan, const Measured &measured,
                const std::function<void(const std::string &)> &say);

/// Whether the grid, a product, is cheaper as a list of points with this kernel: its z axis is too
/// short for the padding of the kernel's product variants.
bool prefersPoints(const Kernel &kernel, const Grid &grid);

} // namespace facet::runtime
