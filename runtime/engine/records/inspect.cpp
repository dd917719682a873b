// inspect.cpp - a mesh in numbers: size, area, volume, closed, oriented, degenerate; numbers for
// the corners of a triangle soup: the same place, the same number.
#include "runtime/engine/records/geometry.h"
#include "runtime/engine/system/compensated_sum.h"
#include "runtime/engine/system/text.h"
#include <algorithm>
#include <bit>
#include <facet/runtime/mesh_stream.h>
#include <fmt/format.h>
#include <numeric>
#include <unordered_map>

namespace facet::runtime {
namespace {

template <class Take> void eachBlock(const Mesh &mesh, const Take &take) { take(mesh); }

/// Sums of the signed tetrahedra between an origin and the triangles of a surface: their volume,
/// and the integrals of r and of |r|^2 over them.
struct Tetrahedra {
  CompensatedSum volume, square;
  std::array<CompensatedSum, 3> first;

  void add(const Triangle &t, const Vec3 &origin) {
    const Vec3 a = t[0] - origin, b = t[1] - origin, c = t[2] - origin, sum = a + b + c;
    const double v = dot(a, cross(b, c)) / 6;
    volume.add(v);
    for (std::size_t k = 0; k < 3; ++k)
      first[k].add(0.25 * v * sum[k]);
    square.add(0.05 * v * (dot(a, a) + dot(b, b) + dot(c, c) + dot(sum, sum)));
  }
  /// None if they cancel.
  std::optional<Moments> moments(const Vec3 &origin) const {
    const double v = volume.value();
    const Vec3 from = 1 / v * Vec3{first[0].value(), first[1].value(), first[2].value()};
    const double squared = square.value() / v - dot(from, from);
    if (!(v != 0 && squared > 0))
      return std::nullopt;
    return Moments{origin + from, std::sqrt(squared)};
  }
};

/// What is added up over blocks: sums over surfaces about `origin`, the first of their points.
struct Totals {
  MeshSummary s; // `volume`: about the origin
  BoundingBox box;
  Vec3 origin{};
  Tetrahedra inside;
  std::int64_t degenerate = 0;

  void patch(double area, const Vec3 &sn) {
    s.area += area;
    s.areaNormal = s.areaNormal + sn;
  }
  void add(const Mesh &block, const ColumnRoles &roles) {
    const Mesh::Facets &f = block.facets;
    if (!s.surface && !(block.triangles.empty() && f.area.empty())) {
      s.surface = true;
      s.corners = !block.triangles.empty();
      origin = s.corners ? block.triangles[0][0] : f.centroid[0];
    }
    everyPlace(block, roles, [&](const Vec3 &p) {
      s.places = true;
      box.add(p);
    });
    for (const Triangle &t : block.triangles) {
      const Vec3 sn = areaNormal(t);
      const double area = length(sn), longest = longestEdge(t);
      patch(area, sn);
      inside.add(t, origin);
      s.longestEdge = std::max(s.longestEdge, longest);
      degenerate += isDegenerate(area, longest);
    }
    for (std::size_t i = 0; i < f.area.size(); ++i) {
      const Vec3 sn = f.area[i] * f.normal[i];
      patch(length(sn), sn);
      inside.volume.add(dot(sn, f.centroid[i] - origin) / 3);
      degenerate += f.area[i] <= 0;
    }
  }
  /// `roles`: null for those of each block.
  template <class AnyMesh> Totals(const AnyMesh &mesh, const ColumnRoles *roles) {
    s.size = mesh.size();
    eachBlock(mesh, [&](const Mesh &block) { add(block, roles ? *roles : block.roles); });
    if (!s.places)
      return;
    s.low = box.low;
    s.high = box.high;
    s.volume = inside.volume.value() - dot(s.areaNormal, s.middle() - origin) / 3;
    if (s.corners && s.closed())
      s.moments = inside.moments(origin);
  }
};

template <class AnyMesh> MeshSummary summaryOf(const AnyMesh &mesh, const ColumnRoles *roles) {
  MeshSummary s = Totals(mesh, roles).s;
  const Vec3 middle = s.middle();
  double fromMiddle = 0, fromOrigin = 0; // squares
  if (s.places)
    eachBlock(mesh, [&](const Mesh &block) {
      everyPlace(block, roles ? *roles : block.roles, [&](const Vec3 &p) {
        fromMiddle = std::max(fromMiddle, dot(p - middle, p - middle));
        fromOrigin = std::max(fromOrigin, dot(p, p));
      });
    });
  s.farthest = std::sqrt(fromMiddle);
  s.farthestFromOrigin = std::sqrt(fromOrigin);
  return s;
}

std::uint64_t mix(std::uint64_t h, std::uint64_t word) {
  h ^= word + 0x9e3779b97f4a7c15U + (h << 6) + (h >> 2);
  h *= 0xff51afd7ed558ccdU;
  return h ^ (h >> 32);
}

std::uint64_t bits(double x) {
  return std::bit_cast<std::uint64_t>(x + 0.0); // -0 and +0 are one place
}

const Vec3 &corner(const Mesh &mesh, std::size_t i) { return mesh.triangles[i / 3][i % 3]; }

/// Open addressing: 3e7 corners of a large mesh in a few seconds.
std::vector<std::uint32_t> weldExactly(const Mesh &mesh) {
  std::size_t corners = 3 * mesh.triangles.size(), slots = 16;
  while (slots < 2 * corners)
    slots *= 2;
  constexpr std::uint32_t free = ~0U;
  std::vector<std::uint32_t> table(slots, free), result(corners);
  for (std::size_t i = 0; i < corners; ++i) {
    const Vec3 &p = corner(mesh, i);
    std::size_t slot = mix(mix(mix(0, bits(p[0])), bits(p[1])), bits(p[2])) & (slots - 1);
    while (table[slot] != free && corner(mesh, table[slot]) != p)
      slot = (slot + 1) & (slots - 1);
    if (table[slot] == free)
      table[slot] = static_cast<std::uint32_t>(i);
    result[i] = table[slot];
  }
  return result;
}

struct Segment {
  std::uint32_t from, to;
};

/// Do these directed segments on one line cancel everywhere?
bool cancels(std::vector<std::pair<double, int>> ends, double tolerance) {
  std::ranges::sort(ends);
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
  std::vector<char> done(segments.size(), 0), cancelled(segments.size(), 0);
  for (std::size_t i = 0; i < segments.size(); ++i) {
    if (done[i] != 0)
      continue;
    const Vec3 &at = corner(mesh, segments[i].from);
    const Vec3 d = corner(mesh, segments[i].to) - at, along = 1 / length(d) * d;
    // Where a corner lies along the line, and how far from it.
    const auto project = [&](std::uint32_t number) {
      const Vec3 p = corner(mesh, number) - at;
      const double s = dot(p, along);
      return std::pair(s, length(p - s * along));
    };
    std::vector<std::size_t> group;
    std::vector<std::pair<double, int>> ends;
    for (std::size_t j = i; j < segments.size(); ++j) {
      const auto [s0, off0] = project(segments[j].from);
      const auto [s1, off1] = project(segments[j].to);
      if (off0 > tolerance || off1 > tolerance)
        continue;
      group.push_back(j);
      ends.emplace_back(s0, 1);
      ends.emplace_back(s1, -1);
    }
    bool cancelling = cancels(std::move(ends), tolerance);
    for (std::size_t j : group) {
      done[j] = 1;
      cancelled[j] = static_cast<char>(cancelling);
    }
  }
  drop(segments, cancelled);
}

/// Half an edge: a triangle runs along it from the corner with the lower number to the other, or
/// back.
struct Half {
  std::uint32_t low, high; // numbers
  bool forward;
  auto operator<=>(const Half &) const = default;
};

/// Ascending. Few share their lower number: they are put in its order by counting, and sorted among
/// themselves.
std::vector<Half> halvesOf(const std::vector<std::uint32_t> &corners) {
  const auto each = [&](const auto &use) {
    for (std::size_t t = 0; t < corners.size(); t += 3)
      for (std::size_t c = 0; c < 3; ++c)
        if (const std::uint32_t a = corners[t + c], b = corners[t + (c + 1) % 3]; a != b)
          use(Half{std::min(a, b), std::max(a, b), a < b});
  };
  std::vector<std::size_t> end(corners.size() + 1); // of the halves below a number, then of its own
  each([&](const Half &half) { ++end[half.low + 1]; });
  std::partial_sum(end.begin(), end.end(), end.begin());
  std::vector<Half> halves(end.back());
  each([&](const Half &half) { halves[end[half.low]++] = half; });
  std::size_t begin = 0;
  for (std::size_t low = 0; low < corners.size(); begin = end[low++])
    std::sort(halves.begin() + static_cast<std::ptrdiff_t>(begin),
              halves.begin() + static_cast<std::ptrdiff_t>(end[low]));
  return halves;
}

/// Counts edges that belong to an odd number of triangles (open) and that are run through more
/// often one way than the other (flipped). Pieces of edges along one line that cancel are neither:
/// meshes from CAD programs have corners on other triangles' edges.
void countEdges(const Mesh &mesh, const std::vector<Half> &halves, double tolerance,
                MeshReport &report) {
  std::vector<Segment> unmatched; // as often as they are
  std::int64_t flipped = 0;
  for (std::size_t i = 0; i < halves.size();) {
    const auto [low, high, first] = halves[i];
    std::size_t end = i;
    int net = 0;
    for (; end < halves.size() && halves[end].low == low && halves[end].high == high; ++end)
      net += halves[end].forward ? 1 : -1;
    if ((end - i) % 2 == 0)
      flipped += net != 0 ? 1 : 0;
    else
      unmatched.insert(unmatched.end(), std::abs(net),
                       net > 0 ? Segment{low, high} : Segment{high, low});
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
std::int64_t coincident(const std::vector<std::uint32_t> &corners,
                        const std::vector<Half> &halves) {
  // Such triangles run along the same edges the same way, unless they have no edges.
  if (halves.size() == corners.size() && std::ranges::adjacent_find(halves) == halves.end())
    return 0;
  std::vector<std::array<std::uint32_t, 3>> triangles;
  triangles.reserve(corners.size() / 3);
  for (std::size_t t = 0; t < corners.size(); t += 3) {
    std::array<std::uint32_t, 3> &c = triangles.emplace_back();
    std::copy_n(&corners[t], 3, c.begin());
    std::ranges::rotate(c, std::ranges::min_element(c));
  }
  std::ranges::sort(triangles);
  return std::ranges::unique(triangles).size();
}

} // namespace

std::vector<std::uint32_t> weld(const Mesh &mesh, double tolerance) {
  if (tolerance <= 0)
    return weldExactly(mesh);
  // Cells of four tolerances: the neighbours of a place are in the cells of its box of +-tolerance.
  double cell = 4 * tolerance;
  std::unordered_map<std::uint64_t, std::vector<std::uint32_t>> cells;
  std::vector<std::uint32_t> result(3 * mesh.triangles.size());
  BoundingBox box; // a small mesh may lie so far off that no integer counts the cells to the origin
  everyPlace(mesh, {}, [&](const Vec3 &p) { box.add(p); });
  auto key = [&](const Vec3 &p) {
    std::uint64_t h = 0;
    for (std::size_t k = 0; k < 3; ++k)
      h = mix(h, static_cast<std::uint64_t>(
                     static_cast<std::int64_t>(std::floor((p[k] - box.low[k]) / cell))));
    return h;
  };
  auto find = [&](const Vec3 &p) -> std::int64_t {
    for (int side = 0; side < 8; ++side) {
      Vec3 near = p;
      for (int k = 0; k < 3; ++k)
        near[k] += ((side >> k & 1) != 0 ? tolerance : -tolerance);
      if (auto found = cells.find(key(near)); found != cells.end())
        for (std::uint32_t i : found->second)
          if (length(corner(mesh, i) - p) <= tolerance)
            return i;
    }
    return -1;
  };
  for (std::size_t i = 0; i < result.size(); ++i) {
    const Vec3 &p = corner(mesh, i);
    std::int64_t same = find(p);
    if (same < 0) {
      same = static_cast<std::int64_t>(i);
      cells[key(p)].push_back(static_cast<std::uint32_t>(i));
    }
    result[i] = static_cast<std::uint32_t>(same);
  }
  return result;
}

bool MeshReport::balanced() const { return gap <= leastGap(corners); }

Vec3 MeshSummary::middle() const { return places ? 0.5 * (low + high) : Vec3{}; }

bool MeshSummary::closed() const {
  return surface && length(areaNormal) <= leastGap(corners) * area;
}

MeshSummary summarise(const MeshBlocks &mesh) { return summaryOf(mesh, nullptr); }
MeshSummary summarise(const Mesh &mesh, const ColumnRoles &roles) {
  return summaryOf(mesh, &roles);
}

MeshReport inspect(const Mesh &mesh) {
  const ColumnRoles none;
  const Totals totals(mesh, &none);
  const MeshSummary &all = totals.s;
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
  report.degenerate = totals.degenerate;
  if (!report.corners) { // a closed surface shows only by sum s n = 0
    report.closed = report.oriented = report.balanced();
    return report;
  }
  report.longestEdge = all.longestEdge;
  report.medianEdge = medianEdge(mesh);
  // Corners that should be one differ by rounding in some files (text with 6 digits).
  double tolerance = 1e-6 * length(report.high - report.low);
  const std::vector<std::uint32_t> corners = weld(mesh, 0);
  const std::vector<Half> halves = halvesOf(corners);
  report.coincident = coincident(corners, halves);
  countEdges(mesh, halves, tolerance, report);
  if (report.openEdges > 0) {
    MeshReport loose = report;
    countEdges(mesh, halvesOf(weld(mesh, tolerance)), tolerance, loose);
    if (loose.openEdges < report.openEdges)
      report = loose;
  }
  report.closed = report.openEdges == 0;
  report.oriented = report.flippedEdges == 0;
  if (report.closed && report.oriented)
    report.moments = totals.inside.moments(totals.origin);
  return report;
}

std::vector<Remark> remarksOn(const MeshReport &found) {
  std::vector<Remark> remarks;
  const auto say = [&](std::string text, std::string help) {
    remarks.push_back({std::move(text), std::move(help)});
  };
  if (!found.closed)
    say(fmt::format("the mesh is open ({}): a volume form factor has no meaning for it, and near q "
                    "= 0 it grows as 1/q",
                    found.openEdges > 0 ? plural(found.openEdges, "open edge")
                                        : "sum of area times normal is not 0"),
        "close the mesh; see facet mesh inspect");
  if (found.corners && !found.oriented)
    say(fmt::format("some triangles face the other way ({}): their contributions have the wrong "
                    "sign",
                    plural(found.flippedEdges, "edge")),
        "orient all triangles outward; see facet mesh inspect");
  if (found.corners && found.closed && found.oriented && !found.balanced())
    say(fmt::format("corners that should meet do not: the sum of area times normal is {:.1e} of "
                    "the area, not 0; near q = 0 a volume form factor grows as 1/q",
                    found.gap),
        "write the mesh with more digits, or join its corners");
  if (found.closed && found.volume < 0)
    say(fmt::format("the mesh is inside out (volume {:.4g} nm^3): F has the wrong sign; |F|^2 is "
                    "right",
                    found.volume),
        "turn the triangles round");
  if (found.coincident > 0)
    say(fmt::format("{} of {} triangles lie on others and face the same way: what they bound "
                    "counts twice in F",
                    found.coincident, found.triangles),
        "take the second body out of the file");
  return remarks;
}

} // namespace facet::runtime
