// inspect.cpp - what a mesh is: size, area, volume, closed, oriented, degenerate.
#include "runtime/mesh/inspect.h"
#include "runtime/mesh/checks.h"
#include "runtime/mesh/geometry.h"
#include <algorithm>
#include <facet/runtime/mesh_stream.h>

namespace facet::runtime {

namespace {
struct Segment {
  std::uint32_t from, to;
};

struct Line {
  Vec3 at, along;
  /// Where p lies along the line, and how far from it.
  std::pair<double, double> project(const Vec3 &p) const {
    double s = dot(p - at, along);
    return {s, length(p - at - s * along)};
  }
};

/// Do these directed segments on one line cancel everywhere?
bool cancels(std::vector<std::pair<double, int>> ends, double tolerance) {
  std::sort(ends.begin(), ends.end());
  int covered = 0;
  for (std::size_t i = 0; i + 1 < ends.size(); ++i) {
    covered += ends[i].second;
    if (covered != 0 && ends[i + 1].first - ends[i].first > tolerance)
      return false;
  }
  return true;
}

/// Removes segments that cancel with others along the same line. Quadratic: for few of them.
void dropCancelling(const Mesh &mesh, double tolerance, std::vector<Segment> &segments) {
  auto place = [&](std::uint32_t i) -> const Vec3 & { return mesh.triangles[i / 3][i % 3]; };
  std::vector<char> done(segments.size(), 0), drop(segments.size(), 0);
  for (std::size_t i = 0; i < segments.size(); ++i) {
    if (done[i] != 0)
      continue;
    Vec3 d = place(segments[i].to) - place(segments[i].from);
    Line line{place(segments[i].from), 1 / length(d) * d};
    std::vector<std::size_t> group;
    std::vector<std::pair<double, int>> ends;
    for (std::size_t j = i; j < segments.size(); ++j) {
      auto [s0, off0] = line.project(place(segments[j].from));
      auto [s1, off1] = line.project(place(segments[j].to));
      if (off0 > tolerance || off1 > tolerance)
        continue;
      group.push_back(j);
      ends.emplace_back(s0, 1);
      ends.emplace_back(s1, -1);
    }
    bool cancelling = cancels(std::move(ends), tolerance);
    for (std::size_t j : group) {
      done[j] = 1;
      drop[j] = static_cast<char>(cancelling);
    }
  }
  std::size_t kept = 0;
  for (std::size_t i = 0; i < segments.size(); ++i)
    if (drop[i] == 0)
      segments[kept++] = segments[i];
  segments.resize(kept);
}

/// Half an edge: a triangle runs along it from the lower number to the higher, or back.
struct Half {
  std::uint32_t low, high;
  bool forward;
  bool sameAs(const Half &o) const { return low == o.low && high == o.high; }
};

std::vector<Half> halvesOf(const std::vector<std::uint32_t> &corners) {
  std::vector<Half> halves;
  halves.reserve(corners.size());
  for (std::size_t t = 0; t < corners.size(); t += 3)
    for (std::size_t c = 0; c < 3; ++c)
      if (const std::uint32_t a = corners[t + c], b = corners[t + (c + 1) % 3]; a != b)
        halves.push_back({std::min(a, b), std::max(a, b), a < b});
  std::sort(halves.begin(), halves.end(), [](const Half &a, const Half &b) {
    return a.low != b.low ? a.low < b.low : a.high < b.high;
  });
  return halves;
}

/// Counts edges that belong to an odd number of triangles (open) and that are run through more
/// often one way than the other (flipped). Pieces of edges along one line that cancel are neither:
/// meshes from CAD programs have corners on other triangles' edges.
void countEdges(const Mesh &mesh, const std::vector<std::uint32_t> &corners, double tolerance,
                MeshReport &report) {
  const std::vector<Half> halves = halvesOf(corners);
  std::vector<Segment> unmatched; // as often as they are
  std::int64_t flipped = 0;
  for (std::size_t i = 0; i < halves.size();) {
    std::size_t end = i;
    int net = 0;
    for (; end < halves.size() && halves[end].sameAs(halves[i]); ++end)
      net += halves[end].forward ? 1 : -1;
    if ((end - i) % 2 == 0)
      flipped += net != 0 ? 1 : 0;
    else
      for (int k = 0; k < std::abs(net); ++k)
        unmatched.push_back(net > 0 ? Segment{halves[i].low, halves[i].high}
                                    : Segment{halves[i].high, halves[i].low});
    i = end;
  }
  constexpr std::size_t few = 4000;
  if (!unmatched.empty() && unmatched.size() <= few)
    dropCancelling(mesh, tolerance, unmatched);
  report.openEdges = static_cast<std::int64_t>(unmatched.size());
  report.flippedEdges = flipped;
}

double medianEdge(const Mesh &mesh) {
  std::vector<float> edges;
  edges.reserve(3 * mesh.triangles.size());
  for (const Triangle &t : mesh.triangles)
    for (std::size_t c = 0; c < 3; ++c)
      edges.push_back(static_cast<float>(length(t[(c + 1) % 3] - t[c])));
  const auto half = edges.begin() + static_cast<std::ptrdiff_t>(edges.size() / 2);
  std::nth_element(edges.begin(), half, edges.end());
  return *half;
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
  const MeshSummary all = summarise(mesh, {});
  MeshReport report;
  report.triangles = all.size;
  report.corners = all.corners;
  if (!all.surface)
    return report;
  report.low = all.low;
  report.high = all.high;
  report.area = all.area;
  report.volume = all.volume;
  report.gap = length(all.areaNormal) / all.area;
  const std::vector<char> marks = degenerate(mesh);
  report.degenerate = std::count(marks.begin(), marks.end(), 1);
  if (!report.corners) { // a closed surface shows only by sum s n = 0
    report.closed = report.oriented = report.balanced();
    return report;
  }
  report.longestEdge = all.longestEdge;
  report.medianEdge = medianEdge(mesh);
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
