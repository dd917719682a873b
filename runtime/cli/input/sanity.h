// sanity.h - warnings on standard error: of a mesh that is no closed surface, of what is likely a slip.
#pragma once
#include "runtime/cli/input/mesh_input.h"

namespace facet::cli {

/// "facet: warning: ..", on standard error.
void warn(const std::string &text, const std::string &help = "");
void warn(const std::vector<runtime::Remark> &remarks);

void warnOfDropped(const std::string &mesh, std::int64_t dropped);
/// Of a mesh that is no closed surface with its normals outward: what that means for form factors.
void warnOfSurface(const std::string &mesh, const runtime::MeshReport &found);
/// Both, of the mesh of a run.
void warnOfMesh(const runtime::Kernel &kernel, const MeshInput &input);

} // namespace facet::cli
