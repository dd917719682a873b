// crossing.h - a particle that crosses interfaces of layers, as its parts: one in each layer.
//
// The mesh of a pose is cut by the planes of the interfaces. Each part is closed by signed
// triangles that meet at one point of the plane, above or below the particle's middle. So parts of
// blocks of a mesh add up to those of the mesh. Poses that differ by turns about z share their
// parts, since cutting commutes with these.
#pragma once
#include "runtime/scattering/scene/bodies.h"
#include <functional>

namespace facet::runtime {

/// A pose that crosses interfaces, with its copies at one height in the particle's layer; from
/// where to where it reaches, nm from its middle.
struct CrossingPose {
  Pose pose;
  double low = 0, high = 0;
};

/// The bodies that a particle's poses are cut into, one for each layer that any of them reaches.
/// `whole`: all else of the particle. `contrastIn`: nm^-2, of a layer. Throws Error: not closed, no
/// triangles with corners.
std::vector<Body> partsOf(const Body &whole, const std::vector<CrossingPose> &poses,
                          const Stack &stack,
                          const std::function<std::complex<double>(std::size_t)> &contrastIn);

/// The mesh of a slab about its place; empty: nothing of the particle lies there.
std::shared_ptr<const MeshBlocks> blocksOf(const Body &part, const Slab &slab);

/// A body's mesh in a pose, about the body's place, before it is turned by turnOf().
std::shared_ptr<const MeshBlocks> meshOf(const Body &body, const Pose &pose);
/// The rotation of a pose; of a part about z alone.
Matrix3 turnOf(const Body &body, const Pose &pose);
/// Both together.
std::shared_ptr<const MeshBlocks> poseMesh(const Body &body, const Pose &pose);
/// That which stands for those of all poses in plans.
std::shared_ptr<const MeshBlocks> typicalMesh(const Body &body);

/// Throws Error unless the amplitudes of a particle's parts add up to that of the particle. A
/// column that the kernel reads has to be the same all over a closed body. Terms have to be linear
/// in the signed surface, which the kernel's reference is tried for.
void checkCut(const Body &part, const Kernel &kernel, const std::vector<double> &params);

} // namespace facet::runtime
