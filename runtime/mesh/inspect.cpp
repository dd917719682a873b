// inspect.cpp - what a mesh is: size, area, volume, closed, oriented, degenerate.
#include "runtime/mesh/inspect.h"
#include "runtime/mesh/geometry.h"
#include <algorithm>

namespace facet::runtime {

namespace {
void extend(MeshReport &report, const Vec3 &p) {
  for (int k = 0; k < 3; ++k) {
    report.low[k] = std::min(report.low[k], p[k]);
    report.high[k] = std::max(report.high[k], p[k]);
  }
}

void measureCorners(const Mesh &mesh, const Vec3 &middle, MeshReport &report) {
  Vec3 sum{};
  std::vector<float> edges;
  edges.reserve(3 * mesh.triangles.size());
  for (const Triangle &t : mesh.triangles) {
    Vec3 sn = areaNormal(t);
    sum = sum + sn;
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
  report.gap = length(sum) / report.area;
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
  report.gap = length(sum) / report.area;
  report.closed = report.oriented = report.balanced();
}

/// Triangles whose corners, in their order, are those of one before them.
std::int64_t coincident(const std::vector<std::uint32_t> &corners) {
  std::vector<std::array<std::uint32_t, 3>> triangles;
  triangles.reserve(corners.size() / 3);
  for (std::size_t t = 0; t < corners.size(); t += 3) {
    std::array<std::uint32_t, 3> &c = triangles.emplace_back();
    std::copy_n(corners.begin() + static_cast<std::ptrdiff_t>(t), 3, c.begin());
    std::rotate(c.begin(), std::min_element(c.begin(), c.end()), c.end());
  }
  std::sort(triangles.begin(), triangles.end());
  const auto end = std::unique(triangles.begin(), triangles.end());
  return static_cast<std::int64_t>(triangles.end() - end);
}
} // namespace

bool MeshReport::balanced() const { return gap <= leastGap(corners); }

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
  const std::vector<std::uint32_t> corners = weld(mesh, 0);
  report.coincident = coincident(corners);
  countEdges(mesh, corners, tolerance, report);
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

} // namespace facet::runtime
