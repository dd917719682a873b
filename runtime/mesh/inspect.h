// inspect.h - corners at the same place.
#pragma once
#include <facet/runtime/mesh.h>

namespace facet::runtime {

/// Numbers for corners: those at the same place, to `tolerance` nm, have the same number. Corner c
/// of triangle t is at 3 t + c.
std::vector<std::uint32_t> weld(const Mesh &mesh, double tolerance);

} // namespace facet::runtime
