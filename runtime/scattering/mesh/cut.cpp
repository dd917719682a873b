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
  PlaneCut(const Mesh &mesh, double height, double rounding, CutTriangles *of)
      : mesh_(mesh), height_(height), rounding_(rounding),
        below_{parts_.below, of ? &of->below : nullptr},
        above_{parts_.above, of ? &of->above : nullptr} {
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
  /// A place, and the corners of the triangle between which it lies.
  struct Corner {
    Vec3 at;
    std::array<std::int8_t, 2> of;
  };
  /// Where the plane leaves a triangle, as the surface below has the edge.
  struct Segment {
    Corner from, to;
    std::int64_t of;
  };
  struct Part {
    Mesh &mesh;
    std::vector<CutTriangle> *of;
  };

  /// A corner on the plane counts as above, in all triangles that share it.
  bool isAbove(const Vec3 &corner) const { return corner[2] >= height_ - rounding_; }

  /// The same bits for both triangles of an edge.
  Corner between(const Corner &a, const Corner &b) const {
    const Corner &low = isAbove(a.at) ? b : a, &high = isAbove(a.at) ? a : b;
    const double t = std::clamp((height_ - low.at[2]) / (high.at[2] - low.at[2]), 0.0, 1.0);
    return {{std::lerp(low.at[0], high.at[0], t), std::lerp(low.at[1], high.at[1], t), height_},
            {low.of[0], high.of[0]}};
  }

  /// `of`: the triangle whose columns it has. Without area it is left out.
  void add(const Part &to, const Corner &a, const Corner &b, const Corner &c,
           std::int64_t of) const {
    const Triangle t{a.at, b.at, c.at};
    if (isDegenerate(length(areaNormal(t)), longestEdge(t)))
      return;
    to.mesh.triangles.push_back(t);
    for (auto &[name, values] : to.mesh.columns)
      values.push_back(mesh_.columns.at(name)[static_cast<std::size_t>(of)]);
    if (to.of != nullptr)
      to.of->push_back({of, {a.of, b.of, c.of}});
  }

  void cut(std::int64_t at) {
    const Triangle &t = mesh_.triangles[at];
    const bool above[] = {isAbove(t[0]), isAbove(t[1]), isAbove(t[2])};
    const auto corner = [&](std::size_t c) {
      const auto k = static_cast<std::int8_t>(c % 3);
      return Corner{t[c % 3], {k, k}};
    };
    if (above[0] == above[1] && above[1] == above[2])
      return add(above[0] ? above_ : below_, corner(0), corner(1), corner(2), at);
    const std::size_t alone = above[1] == above[2] ? 0 : above[0] == above[2] ? 1 : 2;
    const Corner tip = corner(alone), next = corner(alone + 1), last = corner(alone + 2);
    const Corner p = between(tip, next), r = between(tip, last);
    const Part &own = above[alone] ? above_ : below_, &other = above[alone] ? below_ : above_;
    add(own, tip, p, r, at);
    add(other, p, next, last, at);
    add(other, p, last, r, at);
    segments_.push_back(above[alone] ? Segment{r, p, at} : Segment{p, r, at});
  }

  /// That of the segments.
  Vec3 middle() const {
    Vec3 middle{0, 0, height_};
    double length = 0;
    for (const Segment &s : segments_) {
      const Vec3 &from = s.from.at, &to = s.to.at;
      const double own = std::hypot(to[0] - from[0], to[1] - from[1]);
      for (std::size_t d = 0; d < 2; ++d)
        middle[d] += own * (from[d] + to[d]) / 2;
      length += own;
    }
    for (std::size_t d = 0; d < 2 && length > 0; ++d)
      middle[d] /= length;
    return middle;
  }

  /// The caps, about a point of the plane.
  void close(const Vec3 &point) {
    const Corner middle{point, {-1, -1}};
    for (const Segment &s : segments_) {
      add(below_, middle, s.to, s.from, s.of);
      add(above_, middle, s.from, s.to, s.of);
    }
  }

  const Mesh &mesh_;
  double height_, rounding_;
  MeshParts parts_;
  Part below_, above_;
  std::vector<Segment> segments_;
};

} // namespace

double roundingOfCut(double largest) { return 4 * DBL_EPSILON * largest; }

MeshParts cutTriangles(const Mesh &mesh, double height, double rounding,
                       const std::optional<std::array<double, 2>> &point, CutTriangles *of) {
  return PlaneCut(mesh, height, rounding, of).run(point);
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
