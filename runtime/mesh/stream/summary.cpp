// summary.cpp - a mesh in numbers, and thinned, block by block.
#include "runtime/mesh/geometry.h"
#include <facet/runtime/mesh_stream.h>
#include <limits>

namespace facet::runtime {
namespace {

constexpr std::int64_t step = 1 << 15;

template <class Take> void eachBlock(const MeshBlocks &mesh, const Take &take) {
  for (std::int64_t first = 0; first < mesh.size(); first += step)
    take(mesh.read(first, std::min(step, mesh.size() - first)));
}

template <class Take> void eachPoint(const Mesh &mesh, const Take &take) {
  for (const Triangle &t : mesh.triangles)
    for (const Vec3 &p : t)
      take(p);
  for (const Vec3 &p : mesh.facets.centroid)
    take(p);
}

} // namespace

Vec3 MeshSummary::middle() const { return surface ? 0.5 * (low + high) : Vec3{}; }

// One triangle missing of four million is 2e-7 of the area; rounding leaves 1e-13. Facets come
// from text with few digits.
bool MeshSummary::closed() const {
  return surface && length(areaNormal) <= (corners ? 1e-8 : 1e-5) * area;
}

MeshSummary summarise(const MeshBlocks &mesh) {
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
    eachPoint(block, [&](const Vec3 &p) {
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
  if (!s.surface) {
    s.low = s.high = {};
    return s;
  }
  const Vec3 middle = s.middle();
  s.volume = volume - dot(s.areaNormal, middle - origin) / 3;
  eachBlock(mesh, [&](const Mesh &block) {
    eachPoint(block, [&](const Vec3 &p) {
      s.farthest = std::max(s.farthest, length(p - middle));
      s.farthestFromOrigin = std::max(s.farthestFromOrigin, length(p));
    });
  });
  return s;
}

Mesh thinned(const MeshBlocks &mesh, std::int64_t count) {
  const std::int64_t every = (mesh.size() + count - 1) / count;
  Mesh all;
  const auto pick = [](const auto &from, auto &to, std::int64_t at, std::int64_t by) {
    for (auto i = static_cast<std::size_t>(at); i < from.size(); i += static_cast<std::size_t>(by))
      to.push_back(from[i]);
  };
  std::int64_t first = 0;
  eachBlock(mesh, [&](const Mesh &block) {
    const std::int64_t at = (every - first % every) % every;
    all.name = block.name;
    pick(block.triangles, all.triangles, at, every);
    pick(block.facets.area, all.facets.area, at, every);
    pick(block.facets.normal, all.facets.normal, at, every);
    pick(block.facets.centroid, all.facets.centroid, at, every);
    for (const auto &[name, values] : block.columns)
      pick(values, all.columns[name], at, every);
    first += block.size();
  });
  return all;
}

} // namespace facet::runtime
