// patches.h - surfaces made of quads that are cut into triangles.
#pragma once
#include <facet/runtime/mesh.h>
#include <functional>

namespace facet::runtime {

using Surface = std::function<Vec3(double u, double v)>; // u, v in [0, 1]

/// cos and sin of a whole number of parts of a turn, the same at part 0 and part n to the last bit,
/// so that seams close.
Vec3 onCircle(double u, int n);
/// Throws Error if a shape would have more triangles than memory.
void checkCount(double triangles);
/// Adds nu x nv quads of a patch, each as two triangles; outward if dS/du x dS/dv is.
void addPatch(Mesh &mesh, const Surface &surface, int nu, int nv);
/// Every triangle cut into n * n alike, as refined() does; without columns.
Mesh cutAll(const Mesh &mesh, int n);
/// A ring of radius `major` around z, nm, of a tube of radius `minor`, in so many quads around
/// each.
Mesh torus(double major, double minor, int around, int tube);

} // namespace facet::runtime
