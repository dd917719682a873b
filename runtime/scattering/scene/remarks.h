// remarks.h - remarks on an experiment that has nothing wrong and yet likely a slip: in units, in
// names, in steps too coarse for the fringes. And how far off the rule of its kernel is.
#pragma once
#include "runtime/engine/check/rule.h"
#include "runtime/scattering/scene/problem.h"
#include <facet/runtime/experiment.h>

namespace facet::runtime {

/// Remarks on a wavelength, angles, a detector, deltas or widths of sizes in other units, and on
/// distributions of sizes with too few points.
std::vector<Remark> remarksOn(const Experiment &experiment);
/// Remarks on constant columns that the kernel does not read.
std::vector<Remark> remarksOn(const Kernel &kernel, const std::map<std::string, double> &columns);

/// Sizes of a mesh beside steps of q.
struct Sizes {
  /// "56 x 56 x 15.99 nm; steps of q 0.0201 (y), 0.0101 (z) of fringes 0.112, 0.393 nm^-1; " and
  /// measuresOf().
  std::string text;
  std::vector<Remark> remarks; // on sizes in other units, on steps too coarse for the fringes
};
/// "surface 2200 nm^2, volume 6000 nm^3" of a mesh of triangles; no volume if it is not closed.
std::string measuresOf(const MeshSummary &mesh);
/// Remarks also on q whose waves grow along z. Records that have no place have no text. Axes with
/// few values are not seen as a picture, and have no step.
Sizes sizesOf(const SceneMesh &mesh, const Grid &grid);
/// The same for each body of a scene. Steps are those in the middle of its first image; a curve has
/// none.
std::vector<Sizes> sizesOf(const SceneProblem &problem);

/// A remark on more than one count for a photon. `largest`: intensity of an image.
std::optional<Remark> remarkOnCounts(const SceneLayout &layout, double largest, double photons = 1);

/// Some q of the first image.
Grid someOf(const SceneProblem &problem);
/// The worst rule error of a few of the meshes as they stand in their files (rule.h).
RuleError ruleOf(const Kernel &kernel, const std::vector<SceneMesh> &meshes,
                 const std::vector<double> &params, const Grid &grid, std::uint64_t seed,
                 int threads);

} // namespace facet::runtime
