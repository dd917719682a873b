// edges.cpp - open and flipped edges of a mesh.
#include "runtime/mesh/geometry.h"
#include "runtime/mesh/inspect.h"
#include <algorithm>

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
} // namespace

void countEdges(const Mesh &mesh, const std::vector<std::uint32_t> &corners, double tolerance,
                MeshReport &report) {
  struct Half {
    std::uint32_t low, high;
    bool forward;
    bool sameAs(const Half &o) const { return low == o.low && high == o.high; }
  };
  std::vector<Half> halves;
  halves.reserve(corners.size());
  for (std::size_t t = 0; t < corners.size(); t += 3)
    for (int c = 0; c < 3; ++c) {
      std::uint32_t a = corners[t + c], b = corners[t + (c + 1) % 3];
      if (a != b)
        halves.push_back({std::min(a, b), std::max(a, b), a < b});
    }
  std::sort(halves.begin(), halves.end(), [](const Half &a, const Half &b) {
    return a.low != b.low ? a.low < b.low : a.high < b.high;
  });
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

} // namespace facet::runtime
