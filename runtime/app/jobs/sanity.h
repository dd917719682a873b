// sanity.h - warnings on standard error of meshes that are no closed surface, and of likely slips.
#pragma once
#include "runtime/app/jobs/mesh_input.h"

namespace facet::cli {

/// "facet: warning: ..", on standard error.
void warn(const std::string &text, const std::string &help = "");
void warn(const std::vector<runtime::Remark> &remarks);

void warnOfDropped(const std::string &mesh, std::int64_t dropped);
/// What its reader passed over.
void warnOfNotes(const runtime::Mesh &mesh);
/// Says what it means for form factors if a mesh is no closed surface with its normals outward.
void warnOfSurface(const std::string &mesh, const runtime::MeshReport &found);
/// Both warnings, for the mesh of a run.
void warnOfMesh(const runtime::Kernel &kernel, const runtime::SceneMesh &input);

} // namespace facet::cli
