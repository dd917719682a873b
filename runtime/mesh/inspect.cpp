// inspect.cpp - what a mesh is: size, area, volume, closed, oriented, degenerate.
#include "runtime/mesh/inspect.h"
#include "runtime/mesh/geometry.h"
#include <algorithm>
#include <limits>

namespace facet::runtime {

namespace {
void extend(MeshReport &report, const Vec3 &p) {
  for (int k = 0; k < 3; ++k) {
    report.low[k] = std::min(report.low[k], p[k]);
    report.high[k] = std::max(report.high[k], p[k]);
  }
}

void measureCorners(const Mesh &mesh, const Vec3 &middle, MeshReport &report) {
  std::vector<float> edges;
  edges.reserve(3 * mesh.triangles.size());
  for (const Triangle &t : mesh.triangles) {
    Vec3 sn = areaNormal(t);
    report.area += length(sn);
    report.volume += dot(sn, centroid(t) - middle) / 3;
    report.degenerate += isDegenerate(t) ? 1 : 0;
    for (int c = 0; c < 3; ++c) {
      double edge = length(t[(c + 1) % 3] - t[c]);
      edges.push_back(static_cast<float>(edge));
      report.longestEdge = std::max(report.longestEdge, edge);
    }
  }
  auto half = edges.begin() + static_cast<std::ptrdiff_t>(edges.size() / 2);
  std::nth_element(edges.begin(), half, edges.end());
  report.medianEdge = *half;
}

/// Without corners a closed surface shows only by sum s n = 0.
void measureFacets(const Mesh &mesh, const Vec3 &middle, MeshReport &report) {
  Vec3 sum{};
  for (std::size_t i = 0; i < mesh.facets.area.size(); ++i) {
    Vec3 sn = mesh.facets.area[i] * mesh.facets.normal[i];
    sum = sum + sn;
    report.area += mesh.facets.area[i];
    report.volume += dot(sn, mesh.facets.centroid[i] - middle) / 3;
    report.degenerate += mesh.facets.area[i] <= 0 ? 1 : 0;
  }
  report.closed = report.oriented = length(sum) <= 1e-5 * report.area;
}
} // namespace

Vec3 centre(const Mesh &mesh) {
  constexpr double far = std::numeric_limits<double>::infinity();
  MeshReport box;
  box.low = {far, far, far};
  box.high = {-far, -far, -far};
  for (const Triangle &t : mesh.triangles)
    for (const Vec3 &p : t)
      extend(box, p);
  for (const Vec3 &p : mesh.facets.centroid)
    extend(box, p);
  return box.low[0] > box.high[0] ? Vec3{} : 0.5 * (box.low + box.high);
}

MeshReport inspect(const Mesh &mesh) {
  MeshReport report;
  report.triangles = mesh.size();
  report.corners = !mesh.triangles.empty();
  if (mesh.triangles.empty() && mesh.facets.area.empty())
    return report;
  Vec3 middle = centre(mesh);
  report.low = report.high =
      mesh.triangles.empty() ? mesh.facets.centroid[0] : mesh.triangles[0][0];
  for (const Triangle &t : mesh.triangles)
    for (const Vec3 &p : t)
      extend(report, p);
  for (const Vec3 &p : mesh.facets.centroid)
    extend(report, p);
  if (!report.corners) {
    measureFacets(mesh, middle, report);
    return report;
  }
  measureCorners(mesh, middle, report);
  // Corners that should be one differ by rounding in some files (text with 6 digits).
  double tolerance = 1e-6 * length(report.high - report.low);
  countEdges(mesh, weld(mesh, 0), tolerance, report);
  if (report.openEdges > 0) {
    MeshReport loose = report;
    countEdges(mesh, weld(mesh, tolerance), tolerance, loose);
    if (loose.openEdges < report.openEdges)
      report = loose;
  }
  report.closed = report.openEdges == 0;
  report.oriented = report.flippedEdges == 0;
  return report;
}

Mesh rotated(const Mesh &mesh, const std::array<double, 9> &m) {
  auto turn = [&](const Vec3 &p) {
    return Vec3{m[0] * p[0] + m[1] * p[1] + m[2] * p[2], m[3] * p[0] + m[4] * p[1] + m[5] * p[2],
                m[6] * p[0] + m[7] * p[1] + m[8] * p[2]};
  };
  Mesh result = mesh;
  for (Triangle &t : result.triangles)
    for (Vec3 &p : t)
      p = turn(p);
  for (Vec3 &p : result.facets.normal)
    p = turn(p);
  for (Vec3 &p : result.facets.centroid)
    p = turn(p);
  return result;
}

} // namespace facet::runtime
