// mesh.cpp - columns of doubles that kernels read, of triangles and of the file; a mesh turned,
// sized and moved, own columns by what they are.
#include "runtime/mesh/geometry.h"
#include <facet/runtime/error.h>
#include <fmt/format.h>

namespace facet::runtime {
namespace {

[[noreturn]] void missing(const Mesh &mesh, const std::string &name) {
  std::vector<std::string> own;
  for (const auto &[known, values] : mesh.columns)
    own.push_back(known);
  const std::string near = nearest(name, own);
  throw Error(mesh.name,
              fmt::format("the kernel needs a column '{}', which is not there; {}{}", name,
                          own.empty() ? "the file has none of its own" : "own columns are: ",
                          fmt::join(own, ", ")),
              near.empty() ? "add a dataset '" + name +
                                 "' [n] to an HDF5 mesh (facet mesh convert makes one), a property "
                                 "of PLY faces, or a named column to text"
                           : "did you mean '" + near + "'?");
}

[[noreturn]] void missingGeometry(const Mesh &mesh, const std::string &name) {
  if (!mesh.facets.area.empty())
    throw Error(mesh.name,
                "the kernel needs '" + name +
                    "', and this mesh gives areas, normals and centroids only",
                "use a mesh with corners (STL, OBJ, PLY, HDF5), or a kernel for the centroid rule");
  throw Error(mesh.name, "the kernel needs '" + name + "' of triangles, and these records are none",
              "give /triangles or /vertices and /faces, or a column '" + name + "'");
}

/// Whether a kernel's column is geometry of triangles, whose name without ".x" is `base`.
bool isBuiltIn(const std::string &base, bool isComponent) {
#define FACET_TRIANGLE(name, is_vector, power, moves, doc)                                         \
  if (base == #name && isComponent == bool(is_vector))                                             \
    return true;
#include <facet/triangle.def>
  return false;
}

/// What `change` makes of each value of the column, number or vector.
template <class Change> void eachValue(Mesh &mesh, const std::string &name, const Change &change) {
  if (const auto parts = vectorOf(mesh, name); parts[0] != nullptr)
    for (std::size_t i = 0; i < parts[0]->size(); ++i) {
      const Vec3 value = change(Vec3{(*parts[0])[i], (*parts[1])[i], (*parts[2])[i]});
      for (std::size_t k = 0; k < 3; ++k)
        (*parts[k])[i] = value[k];
    }
  if (const auto number = mesh.columns.find(name); number != mesh.columns.end())
    for (double &value : number->second)
      value = change(Vec3{value, 0, 0})[0];
}

} // namespace

std::int64_t Mesh::size() const {
  if (!triangles.empty())
    return std::ssize(triangles);
  if (facets.area.empty() && columns.empty() && !tables.empty())
    return tables.begin()->second.records();
  return facets.area.empty() && !columns.empty() ? std::ssize(columns.begin()->second)
                                                 : std::ssize(facets.area);
}

std::vector<double> column(const Mesh &mesh, const std::string &name, const Vec3 &centre) {
  if (auto own = mesh.columns.find(name); own != mesh.columns.end())
    return own->second;
  const std::size_t point = name.size() - 2; // "normal.x"
  const bool component =
      name.size() > 2 && name[point] == '.' && name[point + 1] >= 'x' && name[point + 1] <= 'z';
  const std::string base = name.substr(0, component ? point : name.size());
  const std::size_t k = component ? name[point + 1] - 'x' : 0;
  if (!isBuiltIn(base, component))
    missing(mesh, name);
  const auto all = [&](const auto &value) {
    std::vector<double> values(mesh.size());
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] = value(i);
    return values;
  };
  if (const auto &t = mesh.triangles; !t.empty()) {
    if (base == "area")
      return all([&](std::size_t i) { return length(areaNormal(t[i])); });
    if (base == "normal")
      return all([&](std::size_t i) {
        const Vec3 a = areaNormal(t[i]);
        return a[k] / length(a);
      });
    if (base == "centroid")
      return all([&](std::size_t i) {
        return ((t[i][0][k] - centre[k]) + (t[i][1][k] - centre[k]) + (t[i][2][k] - centre[k])) / 3;
      });
    const std::size_t corner = base.back() - '0'; // vertex0, vertex1, vertex2, edge1, edge2
    const bool edge = base.starts_with("edge");
    if (edge || base.starts_with("vertex"))
      return all([&](std::size_t i) { return t[i][corner][k] - (edge ? t[i][0] : centre)[k]; });
  }
  const Mesh::Facets &f = mesh.facets;
  if (base == "area" && !f.area.empty())
    return f.area;
  if (base == "normal" && !f.area.empty())
    return all([&](std::size_t i) { return f.normal[i][k]; });
  if (base == "centroid" && !f.area.empty())
    return all([&](std::size_t i) { return f.centroid[i][k] - centre[k]; });
  missingGeometry(mesh, name);
}

void giveRoles(Mesh &mesh, const ColumnRoles &roles) {
  for (const auto &[name, role] : roles) {
    const bool own = mesh.columns.contains(name) || vectorOf(mesh, name)[0] != nullptr;
    if (!own || !mesh.roles.try_emplace(name, role).second)
      continue;
    if (const double factor = std::pow(mesh.unit, role.power); factor != 1)
      eachValue(mesh, name, [factor](const Vec3 &v) { return factor * v; });
  }
}

void eachPlace(const Mesh &mesh, const ColumnRoles &roles,
               const std::function<void(const Vec3 &)> &use) {
  everyPlace(mesh, roles, use);
}

Vec3 centre(const Mesh &mesh) {
  BoundingBox box;
  everyPlace(mesh, mesh.roles, [&](const Vec3 &p) { box.add(p); });
  return box.low[0] > box.high[0] ? Vec3{} : 0.5 * (box.low + box.high);
}

Mesh posed(Mesh mesh, const Vec3 &middle, double scale, const std::array<double, 9> &m) {
  const bool turns = m != std::array<double, 9>{1, 0, 0, 0, 1, 0, 0, 0, 1};
  const auto vector = [&](const Vec3 &v, double factor, bool moves, bool turning) {
    const Vec3 p = factor * (moves ? v - middle : v);
    if (!turns || !turning)
      return p;
    return Vec3{m[0] * p[0] + m[1] * p[1] + m[2] * p[2], m[3] * p[0] + m[4] * p[1] + m[5] * p[2],
                m[6] * p[0] + m[7] * p[1] + m[8] * p[2]};
  };
  for (Triangle &t : mesh.triangles)
    for (Vec3 &p : t)
      p = vector(p, scale, true, true);
  for (double &area : mesh.facets.area)
    area *= scale * scale;
  for (Vec3 &p : mesh.facets.normal)
    p = vector(p, 1, false, true);
  for (Vec3 &p : mesh.facets.centroid)
    p = vector(p, scale, true, true);
  for (const auto &[name, role] : mesh.roles)
    if (const double factor = std::pow(scale, role.power); role.turns || role.moves || factor != 1)
      eachValue(mesh, name,
                [&](const Vec3 &v) { return vector(v, factor, role.moves, role.turns); });
  return mesh;
}

Mesh rotated(const Mesh &mesh, const std::array<double, 9> &matrix) {
  return posed(mesh, {}, 1, matrix);
}

} // namespace facet::runtime
