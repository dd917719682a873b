// patches.cpp - surfaces made of quads; triangles cut smaller.
#include "runtime/engine/records/patches.h"
#include "runtime/engine/records/geometry.h"
#include <array>
#include <facet/runtime/error.h>
#include <fmt/format.h>
#include <numbers>

namespace facet::runtime {
namespace {

/// The corner (i, j) of a triangle cut into n parts. It is the same to the last bit for both
/// triangles of an edge, whichever way they run through it: corners are added in one order.
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

} // namespace

Vec3 onCircle(double u, int n) {
  int part = static_cast<int>(std::lround(u * n)) % n;
  double angle = 2 * std::numbers::pi * part / n;
  return {std::cos(angle), std::sin(angle), 0};
}

void checkCount(double triangles) {
  constexpr double most = 5e7;
  if (triangles > most)
    throw Error("shape", fmt::format("{:.3g} triangles", triangles),
                "50,000,000 are the most: take fewer parts, or less of refine");
}

void addPatch(Mesh &mesh, const Surface &surface, int nu, int nv) {
  checkCount(static_cast<double>(mesh.triangles.size()) + 2.0 * nu * nv);
  auto at = [&](int i, int j) {
    return surface(static_cast<double>(i) / nu, static_cast<double>(j) / nv);
  };
  for (int i = 0; i < nu; ++i)
    for (int j = 0; j < nv; ++j) {
      Vec3 a = at(i, j), b = at(i + 1, j), c = at(i + 1, j + 1), d = at(i, j + 1);
      mesh.triangles.push_back({a, b, c});
      mesh.triangles.push_back({a, c, d});
    }
}

Mesh torus(double major, double minor, int around, int tube) {
  Mesh mesh;
  addPatch(
      mesh,
      [&](double u, double v) {
        Vec3 ring = onCircle(u, around), cut = onCircle(v, tube);
        double r = major + minor * cut[0];
        return Vec3{r * ring[0], r * ring[1], minor * cut[1]};
      },
      around, tube);
  return mesh;
}

Mesh cutAll(const Mesh &mesh, int n) {
  checkCount(static_cast<double>(mesh.triangles.size()) * n * n);
  Mesh result;
  for (const Triangle &t : mesh.triangles)
    for (int i = 0; i < n; ++i)
      for (int j = 0; i + j < n; ++j) {
        const Vec3 a = part(t, i + 1, j, n), b = part(t, i, j + 1, n);
        result.triangles.push_back({part(t, i, j, n), a, b});
        if (i + j + 1 < n)
          result.triangles.push_back({a, part(t, i + 1, j + 1, n), b});
      }
  return result;
}

Mesh refined(const Mesh &mesh, int n) {
  if (n <= 1)
    return mesh;
  if (mesh.triangles.empty())
    throw Error(mesh.name, "only triangles with corners can be refined");
  if (!mesh.tables.empty())
    throw Error(mesh.name,
                "it has columns with an axis (" + mesh.tables.begin()->first +
                    "), which are not cut with the triangles",
                "refine the mesh first, then make the table of its triangles");
  Mesh result = cutAll(mesh, n);
  result.name = mesh.name;
  result.roles = mesh.roles;
  result.unit = mesh.unit;
  for (const auto &[name, values] : mesh.columns) {
    auto &column = result.columns[name];
    for (double value : values)
      column.insert(column.end(), static_cast<std::size_t>(n) * n, value);
  }
  return result;
}

} // namespace facet::runtime
