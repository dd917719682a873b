// shapes.h - what makes each shape of shapes.def.
#pragma once
#include <facet/runtime/mesh.h>
#include <functional>

namespace facet::runtime {

/// Checked arguments of one shape, each three values.
using Arguments = std::map<std::string, Vec3>;
using Surface = std::function<Vec3(double u, double v)>; // u, v in [0, 1]

/// Throws Error where a shape would have more triangles than memory.
void checkCount(double triangles);
/// Adds nu x nv quads of a patch, cut in two triangles each; outward where dS/du x dS/dv is.
void addPatch(Mesh &mesh, const Surface &surface, int nu, int nv);
/// The six patches of the unit cube [-1/2, 1/2]^3, moved by `map`.
void addCube(Mesh &mesh, const Vec3 &n, const std::function<Vec3(const Vec3 &)> &map);

Mesh makeTorus(const Arguments &arguments);
Mesh makeBox(const Arguments &arguments);
Mesh makeSphere(const Arguments &arguments);
Mesh makeTruncatedOctahedron(const Arguments &arguments);
Mesh makeCylinder(const Arguments &arguments);
Mesh makeGrating(const Arguments &arguments);

} // namespace facet::runtime
