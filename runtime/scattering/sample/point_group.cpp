// point_group.cpp - finds the rotations of a surface.
//  1. Edges between triangles of one plane with the same columns are left out: what is left does
//     not depend on how faces are cut.
//  2. Corners are sorted into classes by what no rotation changes: the distance from the middle,
//     their edges.
//  3. Two corners go to two others of their classes: that is a rotation. It counts if it takes all
//     corners to corners and all edges to edges.
#include "runtime/scattering/sample/point_group.h"
#include "runtime/engine/records/geometry.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <numbers>
#include <numeric>
#include <unordered_map>

namespace facet::runtime {
namespace {

constexpr double near = 1e-9;          // of the size: corners are at the same place
constexpr double alike = 1e-7;         // of directions
constexpr std::int64_t most = 1 << 14; // triangles
constexpr std::size_t mostAlike = 512; // corners of a class, rotations

Vec3 unit(const Vec3 &v) { return 1 / length(v) * v; }
bool same(const Vec3 &a, const Vec3 &b, double by) { return length(a - b) <= by; }
/// Rows x, y, z of a right-handed frame whose z is the first vector.
Matrix3 frameOf(const Vec3 &z, const Vec3 &besideX) {
  const Vec3 up = unit(z), x = unit(besideX - dot(besideX, up) * up), y = cross(up, x);
  return {x[0], x[1], x[2], y[0], y[1], y[2], up[0], up[1], up[2]};
}

/// Numbers of places, found again by their coordinates.
class Places {
public:
  explicit Places(double size) : tolerance_(near * size), cell_(1e-6 * size) {}
  /// The number of a place that is there; -1: none is.
  std::int64_t find(const Vec3 &p) const {
    std::array<std::array<std::int64_t, 2>, 3> cells{};
    for (std::size_t k = 0; k < 3; ++k)
      cells[k] = {cellOf(p[k] - tolerance_), cellOf(p[k] + tolerance_)};
    for (std::size_t corner = 0; corner < 8; ++corner) {
      const auto at = [&](std::size_t k) { return cells[k][corner >> k & 1]; };
      const auto [first, last] = numbers_.equal_range(keyOf(at(0), at(1), at(2)));
      for (auto one = first; one != last; ++one)
        if (same(all[one->second], p, 2 * tolerance_))
          return static_cast<std::int64_t>(one->second);
    }
    return -1;
  }
  std::size_t add(const Vec3 &p) {
    if (const std::int64_t known = find(p); known >= 0)
      return static_cast<std::size_t>(known);
    numbers_.emplace(keyOf(cellOf(p[0]), cellOf(p[1]), cellOf(p[2])), all.size());
    all.push_back(p);
    return all.size() - 1;
  }
  std::vector<Vec3> all;

private:
  std::int64_t cellOf(double x) const { return static_cast<std::int64_t>(std::floor(x / cell_)); }
  static std::uint64_t keyOf(std::int64_t x, std::int64_t y, std::int64_t z) {
    return static_cast<std::uint64_t>(x) * 0x9E3779B97F4A7C15U ^
           static_cast<std::uint64_t>(y) * 0xC2B2AE3D27D4EB4FU ^
           static_cast<std::uint64_t>(z) * 0x165667B19E3779F9U;
  }
  double tolerance_, cell_;
  std::unordered_multimap<std::uint64_t, std::size_t> numbers_;
};

/// The own columns of a triangle, which edges bound.
struct Face {
  Vec3 normal;
  std::vector<double> scalars;
  std::vector<Vec3> vectors;
};
bool same(const Face &a, const Face &b) {
  const auto close = [](double x, double y) { return std::abs(x - y) <= near * std::abs(x); };
  return same(a.normal, b.normal, alike) && std::ranges::equal(a.scalars, b.scalars, close) &&
         std::ranges::equal(a.vectors, b.vectors, [](const Vec3 &x, const Vec3 &y) {
           return same(x, y, near * std::max(length(x), length(y)));
         });
}

/// The edges of a surface that bound its flat faces, each as its face goes round it.
class Outline {
public:
  Outline(const Mesh &mesh, double size);
  /// Whether the rotation about the middle leaves the surface as it is.
  bool keeps(const Matrix3 &rotation) const;
  /// Classes of corners that rotations may permute, the smallest first; places about the middle.
  std::vector<std::vector<Vec3>> classes() const;
  Vec3 middle{};
  double size = 0;

private:
  using Edge = std::pair<std::size_t, std::size_t>;
  void addEdge(const Edge &edge, const Face &face);
  std::vector<std::vector<double>> invariants() const;
  Places corners_;
  std::map<Edge, std::vector<Face>> edges_; // from, to
};

/// The columns of a triangle as a face has them. `roles`: of the mesh.
Face faceOf(const Mesh &mesh, std::size_t t) {
  Face face{unit(areaNormal(mesh.triangles[t])), {}, {}};
  for (const auto &[name, values] : mesh.columns) {
    const std::string stem = name.substr(0, name.rfind('.'));
    const auto role = mesh.roles.find(stem);
    if (role == mesh.roles.end() || !role->second.turns)
      face.scalars.push_back(values[t]);
    else if (name.ends_with(".x"))
      face.vectors.push_back(
          {values[t], mesh.columns.at(stem + ".y")[t], mesh.columns.at(stem + ".z")[t]});
  }
  return face;
}

Outline::Outline(const Mesh &mesh, double of) : size(of), corners_(of) {
  for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
    std::array<std::size_t, 3> at{};
    for (std::size_t c = 0; c < 3; ++c)
      at[c] = corners_.add(mesh.triangles[t][c]);
    const Face face = faceOf(mesh, t);
    for (std::size_t c = 0; c < 3; ++c)
      addEdge({at[c], at[(c + 1) % 3]}, face);
  }
  std::erase_if(edges_, [](const auto &edge) { return edge.second.empty(); });
  double all = 0;
  for (const auto &[edge, faces] : edges_) {
    const Vec3 &a = corners_.all[edge.first], &b = corners_.all[edge.second];
    const double weight = static_cast<double>(faces.size()) * length(b - a);
    middle = middle + 0.5 * weight * (a + b);
    all += weight;
  }
  middle = all > 0 ? 1 / all * middle : middle;
}

/// Two triangles of one face go along an edge both ways: it is none of the face's own.
void Outline::addEdge(const Edge &edge, const Face &face) {
  if (const auto back = edges_.find({edge.second, edge.first}); back != edges_.end())
    for (auto other = back->second.begin(); other != back->second.end(); ++other)
      if (same(*other, face)) {
        back->second.erase(other);
        return;
      }
  edges_[edge].push_back(face);
}

bool Outline::keeps(const Matrix3 &rotation) const {
  const auto turned = [&](std::size_t corner) {
    return corners_.find(middle + times(rotation, corners_.all[corner] - middle));
  };
  return std::ranges::all_of(edges_, [&](const auto &one) {
    const auto &[edge, faces] = one;
    const std::int64_t from = turned(edge.first), to = from < 0 ? -1 : turned(edge.second);
    const auto found =
        to < 0 ? edges_.end()
               : edges_.find({static_cast<std::size_t>(from), static_cast<std::size_t>(to)});
    return found != edges_.end() && found->second.size() == faces.size() &&
           std::ranges::all_of(faces, [&](Face face) {
             face.normal = times(rotation, face.normal);
             for (Vec3 &vector : face.vectors)
               vector = times(rotation, vector);
             return std::ranges::any_of(found->second,
                                        [&](const Face &other) { return same(face, other); });
           });
  });
}

/// What no rotation changes of each corner; none of corners without edges.
std::vector<std::vector<double>> Outline::invariants() const {
  std::vector<std::vector<double>> all(corners_.all.size());
  const auto add = [&](std::size_t corner, const Vec3 &along, const std::vector<Face> &faces) {
    const Vec3 from = corners_.all[corner] - middle;
    auto &values = all[corner];
    if (values.empty())
      values = {length(from) / size, 0, 0, 0};
    for (const Face &face : faces) {
      values[1] += 1;
      values[2] += length(along) / size;
      values[3] += dot(face.normal, from) / size;
    }
  };
  for (const auto &[edge, faces] : edges_) {
    const Vec3 along = corners_.all[edge.second] - corners_.all[edge.first];
    add(edge.first, along, faces);
    add(edge.second, along, faces);
  }
  return all;
}

std::vector<std::vector<Vec3>> Outline::classes() const {
  const std::vector<std::vector<double>> values = invariants();
  std::vector<std::vector<std::size_t>> classes(1);
  for (std::size_t i = 0; i < values.size(); ++i)
    if (!values[i].empty() && values[i][0] > 1e-3)
      classes[0].push_back(i);
  for (std::size_t k = 0; k < 4; ++k) { // split where there is a gap
    std::vector<std::vector<std::size_t>> finer;
    for (std::vector<std::size_t> &one : classes) {
      std::ranges::sort(one, {}, [&](std::size_t i) { return values[i][k]; });
      for (std::size_t i = 0; i < one.size(); ++i) {
        if (i == 0 || values[one[i]][k] - values[one[i - 1]][k] > 1e-6)
          finer.emplace_back();
        finer.back().push_back(one[i]);
      }
    }
    classes = std::move(finer);
  }
  std::ranges::stable_sort(classes, {}, &std::vector<std::size_t>::size);
  std::vector<std::vector<Vec3>> places;
  for (const auto &one : classes)
    for (auto &place = places.emplace_back(); const std::size_t i : one)
      place.push_back(corners_.all[i] - middle);
  return places;
}

/// Whether own columns and corners say all of how the mesh turns.
bool turnsByCorners(const Mesh &mesh) {
  const auto turnable = [](const auto &role) { return role.second.known && !role.second.moves; };
  return !mesh.triangles.empty() && std::ssize(mesh.triangles) <= most && mesh.tables.empty() &&
         std::ranges::all_of(mesh.roles, turnable);
}

/// All rotations that take two corners to two others and leave the outline as it is.
std::vector<Matrix3> rotationsOf(const Outline &outline) {
  const auto classes = outline.classes();
  if (classes.empty() || classes[0].size() > mostAlike)
    return {};
  const Vec3 &first = classes[0][0];
  for (const std::vector<Vec3> &seconds : classes)
    for (const Vec3 &second : seconds) {
      if (length(cross(first, second)) < 1e-3 * length(first) * length(second))
        continue;
      if (seconds.size() > 8 * mostAlike)
        return {};
      const Matrix3 here = frameOf(first, second);
      std::vector<Matrix3> found;
      for (const Vec3 &a : classes[0])
        for (const Vec3 &b : seconds)
          if (std::abs(dot(a, b) - dot(first, second)) <= 1e-6 * outline.size * outline.size)
            if (const Matrix3 rotation = times(transposed(frameOf(a, b)), here);
                found.size() <= mostAlike && outline.keeps(rotation))
              found.push_back(rotation);
      return found.size() <= mostAlike ? found : std::vector<Matrix3>();
    }
  return {};
}

bool isIdentity(const Matrix3 &m) { return m[0] + m[4] + m[8] > 3 - alike; }
/// The rotation is not the identity.
Vec3 axisOf(const Matrix3 &m) {
  const Vec3 sine{m[7] - m[5], m[2] - m[6], m[3] - m[1]};
  if (length(sine) > 1e-3)
    return unit(sine);
  // A half turn: m = 2 a a^T - 1.
  const std::size_t k = m[0] > m[4] ? (m[0] > m[8] ? 0 : 2) : m[4] > m[8] ? 1 : 2;
  Vec3 axis{m[k], m[3 + k], m[6 + k]};
  axis[k] += 1;
  return unit(axis);
}
bool isHalfTurn(const Matrix3 &m) { return m[0] + m[4] + m[8] < -1 + alike; }

} // namespace

PointGroup pointGroupOf(const Mesh &mesh) {
  if (!turnsByCorners(mesh))
    return {};
  const Vec3 middle = centre(mesh);
  double size = 0;
  Vec3 sum{};
  for (const Triangle &t : mesh.triangles) {
    sum = sum + areaNormal(t);
    for (const Vec3 &corner : t)
      size = std::max(size, length(corner - middle));
  }
  const Outline outline(mesh, size);
  // Where it is not closed, F depends on the place that the body turns about.
  if (length(sum) > 1e-8 * size * size && !same(outline.middle, middle, near * size))
    return {};
  return {rotationsOf(outline)};
}

int PointGroup::turnsAbout(const Vec3 &axis) const {
  const auto about = [&](const Matrix3 &m) { return same(times(m, axis), axis, alike); };
  return std::max(1, static_cast<int>(std::ranges::count_if(rotations, about)));
}

PointGroup PointGroup::turned(const Matrix3 &by) const {
  PointGroup all;
  for (const Matrix3 &m : rotations)
    all.rotations.push_back(times(times(by, m), transposed(by)));
  return all;
}

GroupAxes::GroupAxes(const PointGroup &group) {
  Vec3 main{0, 0, 1};
  turns = group.turnsAbout(main);
  for (const Matrix3 &m : group.rotations)
    if (!isIdentity(m))
      if (const int n = group.turnsAbout(axisOf(m)); n > turns) {
        turns = n;
        main = axisOf(m);
      }
  Vec3 across = std::abs(main[0]) < 0.9 ? Vec3{1, 0, 0} : Vec3{0, 1, 0};
  std::vector<Vec3> halves;
  for (const Matrix3 &m : group.rotations)
    if (isHalfTurn(m)) {
      halves.push_back(axisOf(m));
      if (std::abs(dot(halves.back(), main)) < alike && !flips) {
        flips = true;
        across = halves.back();
      }
    }
  frame = frameOf(main, across);
  // Half turns about three axes across each other, which the rotations permute: T is a part of O
  // and of I.
  for (const Vec3 &z : halves)
    for (const Vec3 &x : halves)
      if (std::abs(dot(x, z)) < alike && !cubic()) {
        cube = frameOf(z, x);
        ofCube.clear();
        for (const Matrix3 &m : group.rotations) {
          Matrix3 own = times(times(cube, m), transposed(cube));
          for (double &entry : own)
            entry = std::round(entry * 1e6) / 1e6;
          if (std::ranges::all_of(own, [](double e) { return e == 0 || std::abs(e) == 1; }))
            ofCube.push_back(own);
        }
      }
}

std::string PointGroup::text() const {
  const GroupAxes axes(*this);
  const char *cubic = order() == 60 ? "I" : order() == 24 ? "O" : "T";
  return fmt::format("{}, {} rotations",
                     axes.cubic() ? cubic : fmt::format("{}{}", axes.flips ? "D" : "C", axes.turns),
                     order());
}

std::vector<Matrix3> PointGroup::generators() const {
  const GroupAxes axes(*this);
  const Vec3 main{axes.frame[6], axes.frame[7], axes.frame[8]};
  std::vector<Matrix3> made;
  double least = 2 * std::numbers::pi; // the smallest turn about the main axis
  const Matrix3 *turn = nullptr, *other = nullptr, *flip = nullptr;
  for (const Matrix3 &m : rotations) {
    const double angle = std::acos(std::clamp((m[0] + m[4] + m[8] - 1) / 2, -1.0, 1.0));
    const double along = dot(times(m, main), main);
    if (along > 1 - alike && !isIdentity(m) && angle < least) {
      least = angle;
      turn = &m;
    } else if (std::abs(along) < 1 - alike) {
      other = &m;
    } else if (along < 0) {
      flip = &m;
    }
  }
  for (const Matrix3 *m : {turn, other != nullptr ? other : flip})
    if (m != nullptr)
      made.push_back(*m);
  return made;
}

} // namespace facet::runtime
