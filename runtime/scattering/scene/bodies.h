// bodies.h - the particles of a scene as meshes with poses: how they are turned, how large they
// are, and where; how F of a particle answers to that.
#pragma once
#include "runtime/scattering/sample/layers.h"
#include "runtime/scattering/sample/orientation.h"
#include "runtime/scattering/sample/point_group.h"
#include <algorithm>
#include <complex>
#include <facet/runtime/experiment.h>
#include <facet/runtime/kernel.h>
#include <facet/runtime/mesh_stream.h>
#include <optional>
#include <string>
#include <vector>

namespace facet::runtime {

/// The mesh of a particle as it is in its file, in memory or read a block at a time.
struct SceneMesh {
  std::shared_ptr<const MeshBlocks> blocks;
  std::shared_ptr<const Mesh> mesh; // null if it is read in blocks
  MeshSummary summary;
  std::int64_t block = 0; // records that may be in memory at once; 0: all, and they are there
  std::string name;
  std::string hash;         // of all that it is made of
  std::int64_t dropped = 0; // triangles without area
  PointGroup group;         // where it is looked for and F has it
  bool statesUnit = true;   // or the particle does; else lengths are taken as nm
  bool streamed() const { return block > 0; }
  std::int64_t size() const { return blocks->size(); }
};

/// The mesh moved by -middle, with all lengths times `scale`, turned by a row-major matrix.
std::shared_ptr<const MeshBlocks> poseBlocks(std::shared_ptr<const MeshBlocks> mesh,
                                             const Vec3 &middle, double scale,
                                             const Matrix3 &rotation);
/// What summarise() would find for poseBlocks(), without a rotation, about the middle of its box.
MeshSummary scaled(const MeshSummary &mesh, double scale);

/// What of a particle lies in a layer, in the poses that share it: heights are from its middle, nm.
struct Slab {
  Matrix3 tilt = noRotation; // in which it is cut: the poses', but for turns about z
  double scale = 1;
  double floor = 0, top = 0; // of the layer; infinite of half-spaces
  double low = 0, high = 0;  // of the particle
  double from = 0;           // the height that places of the part are counted from, in the layer
  /// Whether it may hold some of the particle.
  bool holds() const { return std::min(high, top) > std::max(low, floor); }
  double thickness() const { return std::min(high, top) - std::max(low, floor); }
  struct Cut {
    std::size_t plane; // of PlaneMoves
    double height;     // nm from the middle
    bool above;        // which side stays
  };
  /// Those that leave what it holds.
  std::vector<Cut> cuts() const {
    std::vector<Cut> some;
    if (floor > low)
      some.push_back({0, floor, true});
    if (top < high)
      some.push_back({1, top, false});
    return some;
  }
  bool operator==(const Slab &) const = default;
};

/// What the floor and the top of a slab move by, nm, relative to the particle's middle.
using PlaneMoves = std::array<double, 2>;

/// Several copies of a body that differ in their places alone.
struct Pose {
  Matrix3 rotation; // about the centre, row-major
  double scale = 1;
  struct Level {                           // copies at one height
    double height = 0;                     // nm, of the centre: as isInside() has it
    std::vector<std::array<double, 2>> at; // x, y of the centres, nm
    std::vector<std::size_t> objects;      // which objects these are; none for a particle by itself
  };
  std::vector<Level> levels;
  double weight = 1;    // in a sum of intensities
  double half = 1;      // in the rule of half the order, for an estimate of the error
  std::size_t slab = 0; // of a part: of Body::slabs
  std::size_t orientation = 0, size = 0; // of a particle without objects: their numbers
};

/// A particle in a layer; of one that crosses interfaces, what lies in one of its layers. Parts of
/// a particle follow one another, and have the same poses in the same order, of one level each.
/// Their amplitudes add up to that of a pose.
struct Body {
  std::size_t particle = 0; // of the experiment
  SceneMesh mesh;
  Vec3 middle{};                     // of its bounding box, nm: poses have it at 0
  std::string name;                  // the particle's
  std::string title;                 // of a part, "cube in layer 'film'"; else the name
  std::size_t layer = 0;             // that it is in
  std::size_t home = 0;              // that its places are given in
  std::complex<double> contrast = 1; // nm^-2, or 1
  double factor = 1;                 // of |contrast amplitude|^2: density, 1 / volume
  double largest = 1;                // scale
  AngleCounts angles{};              // of its average; 0: it has none
  std::vector<Pose> poses;           // of ascending scale
  std::size_t first = 0;             // number of the first part; its own if it is no part
  std::vector<Slab> slabs;           // of a part
  std::int64_t records = 0;          // of the mesh; of a part in slabs[thickest]
  std::size_t thickest = 0;          // of the slabs of the largest scale
  bool isPart() const { return !slabs.empty(); }
};

struct Bodies {
  std::vector<Body> bodies;
  /// The bodies [first, end) are one in each of its poses.
  std::size_t endOf(std::size_t first) const {
    std::size_t end = first + 1;
    while (end < bodies.size() && bodies[end].first == first)
      ++end;
    return end;
  }
  /// The first body of each particle.
  std::vector<const Body *> ofParticles() const {
    std::vector<const Body *> firsts;
    for (const Body &body : bodies)
      if (firsts.empty() || firsts.back()->particle != body.particle)
        firsts.push_back(&body);
    return firsts;
  }
  /// That one particle has.
  std::size_t mostParts() const {
    std::size_t most = 1;
    for (std::size_t b = 0; b < bodies.size(); b = endOf(b))
      most = std::max(most, endOf(b) - b);
    return most;
  }
  bool crossing() const { return std::ranges::any_of(bodies, &Body::isPart); }
  bool coherent = false; // amplitudes of all are summed
  bool averaged = false; // weights and halves differ
};

/// Why a density in transmission is refused for records that are no triangles.
inline constexpr const char *volumeNeeded =
    "density in transmission is a fraction of the volume, and these records have no volume";

/// The largest |q'| there will be, across z and in all, nm^-1: the numbers of angles and sizes of
/// averages follow.
struct Reach {
  double across = 0, all = 0;
};

/// Makes poses of the particles; `meshes`: their meshes in their order, which are read several
/// times. Throws Error: what partsOf() does.
Bodies bodiesOf(const Experiment &experiment, const std::vector<SceneMesh> &meshes,
                const Stack &stack, const Reach &reach);

/// Throws Error unless the kernel has one F at any q.
void checkOneF(const Kernel &kernel);

/// Whether F has a point group of the mesh, too: terms may depend on how faces are cut. Tried by
/// the kernel's reference. The mesh is in memory.
bool holds(const PointGroup &group, const Kernel &kernel, const SceneMesh &mesh,
           const std::vector<double> &params);

/// That of a mesh which is turned before an average that takes it.
PointGroup groupOf(const Orientations &how, const SceneMesh &mesh);

/// How F answers when the particle is sized, turned, and seen from behind: tried on some of its
/// records with the kernel's reference.
struct Symmetries {
  std::optional<int> power; // d of F_s(q) = s^d F(s q) for sizes s; none if there is no such d
  bool mirrored = false;    // |F(-q)| = |F(q)|
  bool turns = false;       // |F| is the same if the particle and q turn together
};
/// `radius`: of the particle about its middle, nm. The mesh's columns have their roles (giveRoles).
Symmetries symmetriesOf(const Kernel &kernel, const MeshBlocks &mesh,
                        const std::vector<double> &params, double radius);

} // namespace facet::runtime
