// corners.cpp - the built-in columns of a triangle as functions of its corners, differentiated:
// along a direction, and back.
//
// With u = v1 - v0, v = v2 - v0 and N = u x v, |N| = 2 area and n = N / |N|:
//   along:  dN = du x v + u x dv, d area = n.dN / 2, dn = (dN - n (n.dN)) / |N|
//   back:   N* = area* n / 2 + (n* - n (n.n*)) / |N|, u* = v x N* + edge1*, v* = N* x u + edge2*
// where x* is what L changes by with x. The triangle's area is not 0: such triangles are dropped
// when a mesh is read.
#include "geometry.h"
#include <facet/runtime/error.h>
#include <facet/runtime/gradient.h>
#include <fmt/format.h>

namespace facet::runtime {
namespace {

void mustFit(const Mesh &mesh, std::size_t count, std::string_view what) {
  if (mesh.triangles.empty())
    throw Error(mesh.name, "has no corners to differentiate by",
                "give a mesh of triangles with their corners");
  if (count != mesh.triangles.size())
    throw Error(
        mesh.name,
        fmt::format("has {} triangles, and there are {} {}", mesh.triangles.size(), count, what),
        "give one a triangle");
}

/// A triangle's edges and normal.
struct Frame {
  Vec3 u, v, normal;
  double size; // of N
};
Frame frameOf(const Triangle &t) {
  const Vec3 n = 2 * areaNormal(t);
  const double size = length(n);
  return {t[1] - t[0], t[2] - t[0], (1 / size) * n, size};
}

} // namespace

Corners byCorners(const Mesh &mesh, const ColumnGradient &columns) {
  Corners made(mesh.triangles.size());
  byCorners(mesh, columns, 0, std::ssize(made), made.data());
  return made;
}

void byCorners(const Mesh &mesh, const ColumnGradient &columns, std::int64_t first,
               std::int64_t count, Corners::value_type *to) {
  mustFit(mesh, mesh.triangles.size(), "triangles");
  for (const auto &[name, values] : columns)
    mustFit(mesh, values.size(), "derivatives by " + name);
  const auto values = [&](const std::string &name) -> const double * {
    const auto found = columns.find(name);
    return found == columns.end() ? nullptr : found->second.data();
  };
  const auto vectors = [&](const std::string &name) {
    return std::array{values(name + ".x"), values(name + ".y"), values(name + ".z")};
  };
  const auto at = [](const std::array<const double *, 3> &of, std::size_t t) {
    Vec3 v{};
    for (std::size_t k = 0; k < 3; ++k)
      v[k] = of[k] == nullptr ? 0 : of[k][t];
    return v;
  };
  const double *area = values("area");
  const auto normal = vectors("normal"), centroid = vectors("centroid"), edge1 = vectors("edge1"),
             edge2 = vectors("edge2");
  const std::array vertex{vectors("vertex0"), vectors("vertex1"), vectors("vertex2")};
  for (auto t = static_cast<std::size_t>(first); t < static_cast<std::size_t>(first + count); ++t) {
    const Frame f = frameOf(mesh.triangles[t]);
    const Vec3 n = at(normal, t);
    const Vec3 back = (area == nullptr ? 0 : area[t] / 2) * f.normal +
                      (1 / f.size) * (n - dot(f.normal, n) * f.normal);
    const Vec3 u = cross(f.v, back) + at(edge1, t), v = cross(back, f.u) + at(edge2, t);
    const Vec3 middle = (1.0 / 3) * at(centroid, t);
    *to++ = {middle + at(vertex[0], t) - u - v, middle + at(vertex[1], t) + u,
             middle + at(vertex[2], t) + v};
  }
}

namespace {

/// What a column changes by, 0 at first.
std::vector<double> &changeOf(Mesh &mesh, const std::string &name) {
  // Counted first: records alone are counted by their columns, of which the new one is empty.
  const auto records = static_cast<std::size_t>(mesh.size());
  return mesh.columns["d_" + name] = std::vector<double>(records);
}

/// What is known of a column holds for its change: a change of lengths in nm is not in the mesh's
/// unit any more.
void addOwn(Mesh &to, const Mesh &mesh, const ColumnGradient &own) {
  for (const auto &[name, role] : mesh.roles)
    to.roles["d_" + name] = role;
  for (const auto &[name, values] : mesh.columns) {
    std::vector<double> &change = changeOf(to, name);
    if (const auto given = own.find(name); given != own.end()) {
      mustFit(mesh, given->second.size(), "changes of " + name);
      change = given->second;
    }
  }
  for (const auto &[name, table] : mesh.tables)
    to.tables["d_" + name] =
        AxisTable(table.rows(), table.records(),
                  std::vector<double>(static_cast<std::size_t>(table.rows() * table.records())));
}

void addOfTriangles(Mesh &to, const Corners &corners) {
  const auto vectors = [&](const std::string &name, const auto &value) {
    const std::array changes{&changeOf(to, name + ".x"), &changeOf(to, name + ".y"),
                             &changeOf(to, name + ".z")};
    for (std::size_t t = 0; t < corners.size(); ++t) {
      const Vec3 change = value(to.triangles[t], corners[t]);
      for (std::size_t k = 0; k < 3; ++k)
        (*changes[k])[t] = change[k];
    }
  };
  const auto ofNormal = [](const Triangle &t, const Triangle &d) {
    const Frame f = frameOf(t);
    return cross(d[1] - d[0], f.v) + cross(f.u, d[2] - d[0]);
  };
  std::vector<double> &area = changeOf(to, "area");
  for (std::size_t t = 0; t < area.size(); ++t)
    area[t] = dot(frameOf(to.triangles[t]).normal, ofNormal(to.triangles[t], corners[t])) / 2;
  vectors("normal", [&](const Triangle &t, const Triangle &d) {
    const Frame f = frameOf(t);
    const Vec3 n = ofNormal(t, d);
    return (1 / f.size) * (n - dot(f.normal, n) * f.normal);
  });
  vectors("centroid", [](const Triangle &, const Triangle &d) { return centroid(d); });
  vectors("edge1", [](const Triangle &, const Triangle &d) { return d[1] - d[0]; });
  vectors("edge2", [](const Triangle &, const Triangle &d) { return d[2] - d[0]; });
  for (std::size_t k = 0; k < 3; ++k)
    vectors(fmt::format("vertex{}", k), [k](const Triangle &, const Triangle &d) { return d[k]; });
}

} // namespace

Mesh changing(const Mesh &mesh, const Corners &corners, const ColumnGradient &own) {
  const bool ofRecords = mesh.triangles.empty() && corners.empty();
  if (!ofRecords)
    mustFit(mesh, corners.size(), "triples of corners");
  Mesh made = mesh;
  addOwn(made, mesh, own);
  if (!ofRecords)
    addOfTriangles(made, corners);
  return made;
}

} // namespace facet::runtime
