// summary.cpp - a mesh in numbers, and thinned, block by block.
#include "runtime/mesh/files/readers.h"
#include "runtime/mesh/geometry.h"
#include <facet/runtime/mesh_stream.h>
#include <limits>

namespace facet::runtime {
namespace {

template <class Take> void eachBlock(const MeshBlocks &mesh, const Take &take) {
  for (std::int64_t first = 0; first < mesh.size(); first += rowsAtOnce)
    take(mesh.read(first, std::min(rowsAtOnce, mesh.size() - first)));
}
template <class Take> void eachBlock(const Mesh &mesh, const Take &take) { take(mesh); }

template <class Blocks> MeshSummary summaryOf(const Blocks &mesh, const ColumnRoles *roles) {
  constexpr double far = std::numeric_limits<double>::infinity();
  MeshSummary s;
  s.size = mesh.size();
  s.low = {far, far, far};
  s.high = {-far, -far, -far};
  double volume = 0; // about the first point
  Vec3 origin{};
  const auto patch = [&](const Vec3 &sn, const Vec3 &at) {
    s.area += length(sn);
    s.areaNormal = s.areaNormal + sn;
    volume += dot(sn, at - origin) / 3;
  };
  eachBlock(mesh, [&](const Mesh &block) {
    if (!s.surface && !(block.triangles.empty() && block.facets.area.empty())) {
      s.surface = true;
      s.corners = !block.triangles.empty();
      origin = s.corners ? block.triangles[0][0] : block.facets.centroid[0];
    }
    eachPlace(block, roles ? *roles : block.roles, [&](const Vec3 &p) {
      s.places = true;
      for (std::size_t k = 0; k < 3; ++k) {
        s.low[k] = std::min(s.low[k], p[k]);
        s.high[k] = std::max(s.high[k], p[k]);
      }
    });
    for (const Triangle &t : block.triangles) {
      patch(areaNormal(t), centroid(t));
      s.longestEdge = std::max(s.longestEdge, longestEdge(t));
    }
    for (std::size_t i = 0; i < block.facets.area.size(); ++i)
      patch(block.facets.area[i] * block.facets.normal[i], block.facets.centroid[i]);
  });
  if (!s.places) {
    s.low = s.high = {};
    return s;
  }
  const Vec3 middle = s.middle();
  s.volume = volume - dot(s.areaNormal, middle - origin) / 3;
  eachBlock(mesh, [&](const Mesh &block) {
    eachPlace(block, roles ? *roles : block.roles, [&](const Vec3 &p) {
      s.farthest = std::max(s.farthest, length(p - middle));
      s.farthestFromOrigin = std::max(s.farthestFromOrigin, length(p));
    });
  });
  return s;
}

} // namespace

Vec3 MeshSummary::middle() const { return places ? 0.5 * (low + high) : Vec3{}; }

bool MeshSummary::closed() const {
  return surface && length(areaNormal) <= leastGap(corners) * area;
}

MeshSummary summarise(const MeshBlocks &mesh) { return summaryOf(mesh, nullptr); }
MeshSummary summarise(const Mesh &mesh, const ColumnRoles &roles) {
  return summaryOf(mesh, &roles);
}

Mesh thinned(const MeshBlocks &mesh, std::int64_t count) {
  const std::int64_t every = (mesh.size() + count - 1) / count;
  Mesh all;
  std::int64_t first = 0;
  eachBlock(mesh, [&](const Mesh &block) {
    const auto at = static_cast<std::size_t>((every - first % every) % every);
    eachList(block, all, [&](const auto &from, auto &to) {
      for (std::size_t i = at; i < from.size(); i += static_cast<std::size_t>(every))
        to.push_back(from[i]);
    });
    first += block.size();
  });
  return all;
}

} // namespace facet::runtime
