// inspect.h - what inspection does step by step.
#pragma once
#include <facet/runtime/mesh.h>

namespace facet::runtime {

/// Numbers for corners: those at the same place, to `tolerance` nm, have the same number. Corner c
/// of triangle t is at 3 t + c.
std::vector<std::uint32_t> weld(const Mesh &mesh, double tolerance);

/// Counts edges that belong to an odd number of triangles (open) and that are run through more
/// often one way than the other (flipped). Pieces of edges along one line that cancel are neither:
/// meshes from CAD programs have corners on other triangles' edges.
void countEdges(const Mesh &mesh, const std::vector<std::uint32_t> &corners, double tolerance,
                MeshReport &report);

} // namespace facet::runtime
