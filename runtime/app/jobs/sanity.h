// sanity.h - warnings of meshes that are no closed surface.
#pragma once
#include "runtime/app/jobs/listener.h"
#include "runtime/app/jobs/mesh_input.h"

namespace facet::cli {

void warnOfDropped(Listener &listener, const std::string &mesh, std::int64_t dropped);
/// What its reader passed over.
void warnOfNotes(Listener &listener, const runtime::Mesh &mesh);
/// Says what it means for form factors if a mesh is no closed surface with its normals outward.
void warnOfSurface(Listener &listener, const std::string &mesh, const runtime::MeshReport &found);
/// Both warnings, for the mesh of a run.
void warnOfMesh(Listener &listener, const runtime::Kernel &kernel, const runtime::SceneMesh &input);

} // namespace facet::cli
