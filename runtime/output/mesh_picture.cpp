// mesh_picture.cpp - a shaded picture of a mesh.
#include <facet/runtime/error.h>
#include <facet/runtime/output.h>

namespace facet::runtime {
void writeMeshPicture(const Mesh &, const std::string &, const ViewOptions &) {}
} // namespace facet::runtime
