// polyhedra.cpp - sphere, truncated octahedron, and cutting triangles into smaller ones.
#include "runtime/mesh/geometry.h"
#include "runtime/mesh/shapes/shapes.h"
#include <algorithm>
#include <facet/runtime/error.h>
#include <numbers>

namespace facet::runtime {

namespace {
/// The corner (i, j) of a triangle cut into n parts: the same to the last bit for both triangles of
/// an edge, whichever way they run through it, because corners are added in one order.
Vec3 part(const Triangle &t, int i, int j, int n) {
  std::array<std::pair<Vec3, int>, 3> terms{{{t[0], n - i - j}, {t[1], i}, {t[2], j}}};
  std::sort(terms.begin(), terms.end());
  Vec3 sum{};
  for (const auto &[corner, weight] : terms)
    if (weight == n)
      return corner;
    else if (weight > 0)
      sum = sum + static_cast<double>(weight) * corner;
  return {sum[0] / n, sum[1] / n, sum[2] / n};
}

template <class Visit> void cut(const Triangle &t, int n, const Visit &visit) {
  for (int i = 0; i < n; ++i)
    for (int j = 0; i + j < n; ++j) {
      visit(Triangle{part(t, i, j, n), part(t, i + 1, j, n), part(t, i, j + 1, n)});
      if (i + j + 1 < n)
        visit(Triangle{part(t, i + 1, j, n), part(t, i + 1, j + 1, n), part(t, i, j + 1, n)});
    }
}

Mesh cutAll(const Mesh &mesh, int n) {
  checkCount(static_cast<double>(mesh.triangles.size()) * n * n);
  Mesh result;
  for (const Triangle &t : mesh.triangles)
    cut(t, n, [&](const Triangle &small) { result.triangles.push_back(small); });
  return result;
}

/// Adds a convex face of given corners as a fan about its middle, outward from the origin.
void addFace(Mesh &mesh, std::vector<Vec3> corners) {
  Vec3 middle{};
  for (const Vec3 &p : corners)
    middle = middle + 1.0 / static_cast<double>(corners.size()) * p;
  Vec3 normal = 1 / length(middle) * middle; // the faces here lie across their own direction
  Vec3 u = corners[0] - middle, v = cross(normal, u);
  std::sort(corners.begin(), corners.end(), [&](const Vec3 &a, const Vec3 &b) {
    auto angle = [&](const Vec3 &p) { return std::atan2(dot(p - middle, v), dot(p - middle, u)); };
    return angle(a) < angle(b);
  });
  for (std::size_t i = 0; i < corners.size(); ++i)
    mesh.triangles.push_back({middle, corners[i], corners[(i + 1) % corners.size()]});
}
} // namespace

Mesh refined(const Mesh &mesh, int n) {
  if (n <= 1)
    return mesh;
  if (mesh.triangles.empty())
    throw Error(mesh.name, "only triangles with corners can be refined");
  Mesh result = cutAll(mesh, n);
  result.name = mesh.name;
  for (const auto &[name, values] : mesh.columns) {
    auto &column = result.columns[name];
    for (double value : values)
      column.insert(column.end(), static_cast<std::size_t>(n) * n, value);
  }
  return result;
}

Mesh makeSphere(const Arguments &a) {
  // The icosahedron's corners: even permutations of (0, +-1, +-golden ratio).
  constexpr double g = std::numbers::phi;
  std::vector<Vec3> corners;
  for (double s : {-1.0, 1.0})
    for (double t : {-g, g})
      for (int k = 0; k < 3; ++k) {
        Vec3 p{};
        p[(k + 1) % 3] = s;
        p[(k + 2) % 3] = t;
        corners.push_back(p);
      }
  Mesh mesh;
  auto near = [](const Vec3 &p, const Vec3 &q) { return std::abs(length(p - q) - 2) < 0.1; };
  for (std::size_t i = 0; i < corners.size(); ++i)
    for (std::size_t j = i + 1; j < corners.size(); ++j)
      for (std::size_t k = j + 1; k < corners.size(); ++k)
        if (near(corners[i], corners[j]) && near(corners[j], corners[k]) &&
            near(corners[i], corners[k])) {
          Triangle t{corners[i], corners[j], corners[k]};
          if (dot(areaNormal(t), t[0]) < 0)
            std::swap(t[1], t[2]);
          mesh.triangles.push_back(t);
        }
  mesh = cutAll(mesh, static_cast<int>(a.at("n")[0]));
  for (Triangle &t : mesh.triangles)
    for (Vec3 &p : t)
      p = a.at("radius")[0] / length(p) * p;
  return mesh;
}

Mesh makeTruncatedOctahedron(const Arguments &a) {
  // Corners: all permutations of (0, +-1, +-2) times size/4; squares across x, y, z, hexagons
  // across the diagonals.
  double unit = a.at("size")[0] / 4;
  std::vector<Vec3> corners;
  std::array<int, 3> order{0, 1, 2};
  do
    for (double s : {-1.0, 1.0})
      for (double t : {-2.0, 2.0}) {
        Vec3 p{};
        p[order[1]] = s * unit;
        p[order[2]] = t * unit;
        corners.push_back(p);
      }
  while (std::next_permutation(order.begin(), order.end()));
  Mesh mesh;
  auto face = [&](const Vec3 &direction, double reach) {
    std::vector<Vec3> on;
    std::copy_if(corners.begin(), corners.end(), std::back_inserter(on),
                 [&](const Vec3 &p) { return dot(p, direction) > (reach - 0.5) * unit; });
    addFace(mesh, on);
  };
  for (int k = 0; k < 3; ++k)
    for (double s : {-1.0, 1.0}) {
      Vec3 d{};
      d[k] = s;
      face(d, 2);
    }
  for (int side = 0; side < 8; ++side)
    face({side & 1 ? 1.0 : -1.0, side & 2 ? 1.0 : -1.0, side & 4 ? 1.0 : -1.0}, 3);
  return cutAll(mesh, static_cast<int>(a.at("n")[0]));
}

} // namespace facet::runtime
