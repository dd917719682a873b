// sanity.h - sizes beside steps of q for people, and warnings on standard error: of a mesh that is no
// closed surface, of what is likely a slip of units or of a name.
#pragma once
#include "runtime/cli/input/mesh_input.h"
#include "runtime/experiment/scene/units/problem.h"

namespace facet::cli {

/// "facet: warning: ..", on standard error.
void warn(const std::string &text, const std::string &help = "");

/// "56 x 56 x 15.99 nm; steps of q 0.0201 (y), 0.0101 (z) of fringes 0.112, 0.393 nm^-1", and
/// warnings: sizes of other units, steps too coarse for the fringes. "" of records that have no
/// place. Axes with few values are not seen as a picture, and have no step.
std::string sizesOf(const MeshInput &mesh, const runtime::Grid &grid);
/// The same of each body of a scene. Steps are those of the middle of its first image.
std::vector<std::string> sizesOf(const runtime::SceneProblem &problem);

// Warnings
// ---------------------------------------------------------------------------
void warnOfDropped(const std::string &mesh, std::int64_t dropped);
/// Of a mesh that is no closed surface with its normals outward: what that means for form factors.
void warnOfSurface(const std::string &mesh, const runtime::MeshReport &found);
/// Both, of the mesh of a run.
void warnOfMesh(const runtime::Kernel &kernel, const MeshInput &input);
/// Of a wavelength, angles or a detector of other units.
void warnOfBeam(const runtime::Experiment &experiment);
/// Of distributions of sizes with too few points.
void warnOfSizes(const runtime::Experiment &experiment);
/// Of constant columns that the kernel does not read.
void warnOfColumns(const runtime::Kernel &kernel, const std::map<std::string, double> &columns);

} // namespace facet::cli
