// remarks.h - what is said of an experiment that is wrong in nothing and yet likely a slip: of units, of names, of steps too coarse for
// the fringes. And how far the rule of its kernel is off.
#pragma once
#include "runtime/experiment/scene/units/problem.h"
#include "runtime/plan/errors/rule.h"
#include <facet/runtime/experiment.h>

namespace facet::runtime {

/// Of a wavelength, angles or a detector of other units, of distributions of sizes with too few
/// points.
std::vector<Remark> remarksOn(const Experiment &experiment);
/// Of constant columns that the kernel does not read.
std::vector<Remark> remarksOn(const Kernel &kernel, const std::map<std::string, double> &columns);

/// Sizes of a mesh beside steps of q.
struct Sizes {
  std::string
      text; // "56 x 56 x 15.99 nm; steps of q 0.0201 (y), 0.0101 (z) of fringes 0.112, 0.393 nm^-1"
  std::vector<Remark> remarks; // of sizes of other units, of steps too coarse for the fringes
};
/// No text of records that have no place. Axes with few values are not seen as a picture, and have no
/// step.
Sizes sizesOf(const SceneMesh &mesh, const Grid &grid);
/// The same of each body of a scene. Steps are those of the middle of its first image; of a curve
/// there are none.
std::vector<Sizes> sizesOf(const SceneProblem &problem);

/// Some q of the first image.
Grid someOf(const SceneProblem &problem);
/// The worst of a few of the meshes as they stand in their files (rule.h).
RuleError ruleOf(const Kernel &kernel, const std::vector<SceneMesh> &meshes,
                 const std::vector<double> &params, const Grid &grid, std::uint64_t seed,
                 int threads);

} // namespace facet::runtime
