// how_to_derive.h - what derivatives of an experiment are asked for, and how they are gone about.
#pragma once
#include "runtime/scattering/derive/gradient_keys.h"
#include <facet/runtime/simulation.h>

namespace facet::runtime {

/// Throws Error unless there is a finite number for each of the images' that is not behind the
/// sample.
void checkCotangent(const std::vector<std::vector<double>> &cotangent,
                    const std::vector<SimulatedImage> &images);
/// dL by each intensity of a unit's rows. For a curve, `cotangent` is by its values, and the rows
/// are the directions of a sphere, each with its weight in the average. Those of the rule that
/// states the error count for nothing.
std::vector<double> cotangentOfRows(const SceneProblem &problem, const SceneUnit &unit,
                                    const std::vector<std::vector<double>> &cotangent);
/// What images change by along directions, from what the rows of units do. Threads finish units in
/// any order: rows of a unit are its own, and to values of a curve units add in their order.
class SlopesOfImages {
public:
  using Images = std::vector<std::vector<double>>; // image by image
  SlopesOfImages(const SceneProblem &problem, const std::vector<SimulatedImage> &images,
                 std::size_t directions, std::size_t units);
  /// From any thread. `rows`: by direction.
  void add(std::size_t number, const SceneUnit &unit, const std::vector<std::vector<double>> &rows);
  /// By direction.
  std::vector<Images> take();

private:
  const CurveResolution *smearing() const {
    return problem_.isCurve() ? problem_.layout.curve->smearing.get() : nullptr;
  }
  const SceneProblem &problem_;
  Images none_;
  std::vector<Images> all_;
  std::vector<std::vector<std::vector<double>>> ofUnits_; // of a curve: its values, by direction
};
/// The experiment's kernel, on one thread of a CPU. Throws Error: it is a library.
KernelSource kernelSource(const Experiment &experiment);
/// Throws Error for a curve of some directions alone: a corner that moves by itself breaks the
/// symmetry by which they are enough.
void checkCorners(const SceneProblem &problem);
/// Throws Error: a curve is made by a symmetry (symmetriesOf) that one of the parameters breaks.
/// `kernel`: the experiment's.
void checkSymmetries(const Kernel &kernel, const SceneProblem &problem, const GradientKeys &keys);
/// `kernel`: the experiment's; null: its parameters are set later. Throws Error as kernelSource()
/// does.
SceneAdjoint::Options adjointOptions(const Experiment &experiment, const GradientKeys &keys,
                                     bool corners, const facet_kernel_description *kernel);
/// Transforms of a few large units take less than those of many small ones, which nobody shares
/// here and no stop keeps. At least four, one a thread: their number depends on the problem alone.
SceneDecision withLargeUnits(const SceneProblem &problem, SceneDecision decision, double memory);
/// q of a unit of derivatives that ranks share and stops keep: a sixteenth of all q. Transforms
/// would repeat their work on the records. Where it is less than twice the records, it is up to a
/// quarter of all q. `records`: of the largest mesh.
double sharedUnit(double q, double records);
/// Such units, of all poses. They depend on the problem alone.
SceneDecision withSharedUnits(const SceneProblem &problem, SceneDecision decision);

} // namespace facet::runtime
