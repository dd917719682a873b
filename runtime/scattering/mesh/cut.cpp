// cut.cpp - cuts a closed mesh by a horizontal plane, and closes both parts.
//
// No cap is triangulated. Each segment that the plane leaves of a triangle makes a triangle with
// one point of the plane, turned as the segment runs. These add up to the cap with their signs,
// whatever its loops and holes are: exact for what is linear in the surface, as volumes and form
// factors are.
#include "runtime/scattering/mesh/cut.h"
#include "runtime/engine/records/geometry.h"
#include <algorithm>
#include <cfloat>
#include <cmath>
#include <facet/runtime/error.h>
#include <facet/runtime/mesh.h>
#include <fmt/format.h>
#include <vector>

namespace facet::runtime {
namespace {

class PlaneCut {
public:
  PlaneCut(const Mesh &mesh, double height, double rounding)
      : mesh_(mesh), height_(height), rounding_(rounding) {
    for (Mesh *half : {&parts_.below, &parts_.above}) {
      half->name = mesh.name;
      half->roles = mesh.roles;
      half->unit = mesh.unit;
      for (const auto &[name, values] : mesh.columns)
        half->columns[name];
    }
  }

  MeshParts run(const std::optional<std::array<double, 2>> &point) {
    for (std::int64_t t = 0; t < std::ssize(mesh_.triangles); ++t)
      cut(t);
    close(point ? Vec3{(*point)[0], (*point)[1], height_} : middle());
    return std::move(parts_);
  }

private:
  /// Where the plane leaves a triangle, as the surface below has the edge.
  struct Segment {
    Vec3 from, to;
    std::int64_t of;
  };

  /// A corner on the plane counts as above, in all triangles that share it.
  bool isAbove(const Vec3 &corner) const { return corner[2] >= height_ - rounding_; }

  /// The same bits for both triangles of an edge.
  Vec3 between(const Vec3 &a, const Vec3 &b) const {
    const Vec3 &low = isAbove(a) ? b : a, &high = isAbove(a) ? a : b;
    const double t = std::clamp((height_ - low[2]) / (high[2] - low[2]), 0.0, 1.0);
    return {std::lerp(low[0], high[0], t), std::lerp(low[1], high[1], t), height_};
  }

  /// `of`: the triangle whose columns it has. Without area it is left out.
  void add(Mesh &to, const Triangle &t, std::int64_t of) const {
    if (isDegenerate(length(areaNormal(t)), longestEdge(t)))
      return;
    to.triangles.push_back(t);
    for (auto &[name, values] : to.columns)
      values.push_back(mesh_.columns.at(name)[static_cast<std::size_t>(of)]);
  }

  void cut(std::int64_t at) {
    const Triangle &t = mesh_.triangles[at];
    const bool above[] = {isAbove(t[0]), isAbove(t[1]), isAbove(t[2])};
    if (above[0] == above[1] && above[1] == above[2])
      return add(above[0] ? parts_.above : parts_.below, t, at);
    const std::size_t alone = above[1] == above[2] ? 0 : above[0] == above[2] ? 1 : 2;
    const Vec3 &tip = t[alone], &next = t[(alone + 1) % 3], &last = t[(alone + 2) % 3];
    const Vec3 p = between(tip, next), r = between(tip, last);
    Mesh &own = above[alone] ? parts_.above : parts_.below;
    Mesh &other = above[alone] ? parts_.below : parts_.above;
    add(own, {tip, p, r}, at);
    add(other, {p, next, last}, at);
    add(other, {p, last, r}, at);
    segments_.push_back(above[alone] ? Segment{r, p, at} : Segment{p, r, at});
  }

  /// That of the segments.
  Vec3 middle() const {
    Vec3 middle{0, 0, height_};
    double length = 0;
    for (const Segment &s : segments_) {
      const double own = std::hypot(s.to[0] - s.from[0], s.to[1] - s.from[1]);
      for (std::size_t d = 0; d < 2; ++d)
        middle[d] += own * (s.from[d] + s.to[d]) / 2;
      length += own;
    }
    for (std::size_t d = 0; d < 2 && length > 0; ++d)
      middle[d] /= length;
    return middle;
  }

  /// The caps, about a point of the plane.
  void close(const Vec3 &point) {
    for (const Segment &s : segments_) {
      add(parts_.below, {point, s.to, s.from}, s.of);
      add(parts_.above, {point, s.from, s.to}, s.of);
    }
  }

  const Mesh &mesh_;
  double height_, rounding_;
  MeshParts parts_;
  std::vector<Segment> segments_;
};

} // namespace

double roundingOfCut(double largest) { return 4 * DBL_EPSILON * largest; }

MeshParts cutTriangles(const Mesh &mesh, double height, double rounding,
                       const std::optional<std::array<double, 2>> &point) {
  return PlaneCut(mesh, height, rounding).run(point);
}

MeshParts cutMesh(const Mesh &mesh, double height) {
  if (!std::isfinite(height))
    throw Error(mesh.name, "the height of a cut is not finite", "give a height in nm");
  if (mesh.triangles.empty())
    throw Error(mesh.name, "only triangles with corners can be cut",
                "take a mesh with corners: STL, OBJ, PLY or HDF5");
  if (!mesh.tables.empty())
    throw Error(mesh.name,
                fmt::format("has columns with an axis ({}), which are not cut with the triangles",
                            mesh.tables.begin()->first),
                "cut the mesh first, then make the table of its triangles");
  if (const MeshReport found = inspect(mesh); !found.closed)
    throw Error(
        mesh.name,
        fmt::format("is not closed ({} open edges): a cut would leave no body", found.openEdges),
        "close the mesh; facet mesh inspect says more");
  double largest = std::abs(height);
  for (const Triangle &t : mesh.triangles)
    for (const Vec3 &corner : t)
      for (const double x : corner)
        largest = std::max(largest, std::abs(x));
  const double rounding = roundingOfCut(largest);
  bool some[2] = {}; // beyond rounding: below, above
  for (const Triangle &t : mesh.triangles)
    for (const Vec3 &corner : t) {
      some[0] |= corner[2] < height - rounding;
      some[1] |= corner[2] > height + rounding;
    }
  if (some[0] && some[1])
    return cutTriangles(mesh, height, rounding, {});
  MeshParts parts;
  (some[0] ? parts.below : parts.above) = mesh;
  (some[0] ? parts.above : parts.below).name = mesh.name;
  return parts;
}

} // namespace facet::runtime
