// mesh.cpp - columns of doubles that kernels read, of triangles and of the file; a mesh turned,
// sized and moved, own columns by what they are.
#include "runtime/engine/records/geometry.h"
#include <facet/runtime/error.h>
#include <fmt/format.h>
#include <optional>
#include <span>

namespace facet::runtime {
namespace {

[[noreturn]] void missing(const Mesh &mesh, const std::string &name) {
  std::vector<std::string> own;
  for (const auto &[known, values] : mesh.columns)
    own.push_back(known);
  const std::string near = nearest(name, own);
  throw Error(mesh.name,
              fmt::format("the kernel needs a column '{}', which is not there; {}{}", name,
                          own.empty() ? "it has none of its own" : "own columns are: ",
                          fmt::join(own, ", ")),
              near.empty()
                  ? "add a dataset '" + name +
                        "' [n] to an HDF5 mesh (facet mesh convert makes one), a property "
                        "of PLY faces, or a named column to text; in Python give columns={'" +
                        name.substr(0, name.rfind('.')) + "': ...}"
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

namespace {

/// What a kernel's column is of: "normal.x" is component 0 of normal.
struct BuiltIn {
  std::string base;
  std::size_t k = 0;
  std::size_t corner() const {
    return base.back() - '0';
  } // vertex0, vertex1, vertex2, edge1, edge2
  bool is(std::string_view other) const { return base == other; }
};

std::optional<BuiltIn> builtInOf(const std::string &name) {
  const std::size_t point = name.size() - 2;
  const bool component =
      name.size() > 2 && name[point] == '.' && name[point + 1] >= 'x' && name[point + 1] <= 'z';
  BuiltIn of{name.substr(0, component ? point : name.size()),
             component ? static_cast<std::size_t>(name[point + 1] - 'x') : 0};
  return isBuiltIn(of.base, component) ? std::optional(of) : std::nullopt;
}

/// The built-in columns of some triangles, their area normals known.
void ofTriangles(const BuiltIn &of, std::span<const Triangle> some, const Vec3 *normals,
                 const double *areas, const Vec3 &centre, double *to) {
  const std::size_t k = of.k;
  const auto each = [&](const auto &value) {
    for (std::size_t i = 0; i < some.size(); ++i)
      to[i] = value(i, some[i]);
  };
  if (of.is("area"))
    return each([&](std::size_t i, const Triangle &) { return areas[i]; });
  if (of.is("normal"))
    return each([&](std::size_t i, const Triangle &) { return normals[i][k] / areas[i]; });
  if (of.is("centroid"))
    return each([&](std::size_t, const Triangle &t) {
      return ((t[0][k] - centre[k]) + (t[1][k] - centre[k]) + (t[2][k] - centre[k])) / 3;
    });
  const std::size_t corner = of.corner();
  if (of.base.starts_with("edge"))
    return each([&](std::size_t, const Triangle &t) { return t[corner][k] - t[0][k]; });
  each([&](std::size_t, const Triangle &t) { return t[corner][k] - centre[k]; });
}

/// Records of a mesh, from the first on.
struct Range {
  std::size_t first, count;
  template <class Values> auto of(const Values &all) const {
    return std::span(all.data(), all.size()).subspan(first, count);
  }
};

/// The built-in columns of triangles given by area, normal, centroid.
void ofFacets(const BuiltIn &of, const Mesh &mesh, const std::string &name, const Vec3 &centre,
              const Range &range, double *to) {
  const Mesh::Facets &f = mesh.facets;
  const bool known = of.is("area") || of.is("normal") || of.is("centroid");
  if (f.area.empty() || !known)
    missingGeometry(mesh, name);
  for (std::size_t i = range.first; i < range.first + range.count; ++i)
    *to++ = of.is("area")     ? f.area[i]
            : of.is("normal") ? f.normal[i][of.k]
                              : f.centroid[i][of.k] - centre[of.k];
}

void columnsAbout(const Vec3 &centre, const Mesh &mesh, const std::vector<std::string> &names,
                  const Range &range, const std::vector<double *> &to) {
  std::vector<std::pair<BuiltIn, double *>> builtIn;
  for (std::size_t c = 0; c < names.size(); ++c) {
    if (const auto own = mesh.columns.find(names[c]); own != mesh.columns.end()) {
      std::ranges::copy(range.of(own->second), to[c]);
      continue;
    }
    const std::optional<BuiltIn> of = builtInOf(names[c]);
    if (!of)
      missing(mesh, names[c]);
    if (mesh.triangles.empty())
      ofFacets(*of, mesh, names[c], centre, range, to[c]);
    else
      builtIn.emplace_back(*of, to[c]);
  }
  if (builtIn.empty())
    return;
  constexpr std::size_t some = 256;
  const std::span<const Triangle> all = range.of(mesh.triangles);
  for (std::size_t first = 0; first < all.size(); first += some) {
    const std::span<const Triangle> part = all.subspan(first, std::min(some, all.size() - first));
    std::array<Vec3, some> normals;
    std::array<double, some> areas;
    for (std::size_t i = 0; i < part.size(); ++i) {
      normals[i] = areaNormal(part[i]);
      areas[i] = length(normals[i]);
    }
    for (const auto &[of, values] : builtIn)
      ofTriangles(of, part, normals.data(), areas.data(), centre, values + first);
  }
}

} // namespace

void checkOwnNames(const Mesh &mesh) {
  for (const auto &[name, values] : mesh.columns)
    if (!mesh.triangles.empty() && builtInOf(name))
      throw Error(mesh.name,
                  fmt::format("there is a column '{}', and corners that say what it is", name),
                  "leave it out, or give it another name");
}

std::vector<double> column(const Mesh &mesh, const std::string &name, const Vec3 &centre) {
  if (auto own = mesh.columns.find(name); own != mesh.columns.end())
    return own->second;
  std::vector<double> values(mesh.size());
  columnsAbout(centre, mesh, {name}, {0, values.size()}, {values.data()});
  return values;
}

void columns(const Mesh &mesh, const std::vector<std::string> &names, std::int64_t first,
             std::int64_t count, const std::vector<double *> &to) {
  columnsAbout({}, mesh, names, {static_cast<std::size_t>(first), static_cast<std::size_t>(count)},
               to);
}

Mesh taken(const Mesh &mesh, const std::vector<std::int64_t> &places) {
  Mesh some;
  eachList(mesh, some, [&](const auto &from, auto &to) {
    if (!from.empty())
      for (const std::int64_t place : places)
        to.push_back(from[static_cast<std::size_t>(place)]);
  });
  return some;
}

void giveRoles(Mesh &mesh, const ColumnRoles &roles) {
  for (const auto &[name, role] : roles) {
    const bool own = mesh.columns.contains(name) || vectorOf(mesh, name)[0] != nullptr;
    if (!own || !mesh.roles.try_emplace(name, role).second)
      continue;
    if (mesh.unit != 1 && !role.known)
      throw Error(mesh.name,
                  fmt::format("is in another unit than nm, and the kernel's formula does not say "
                              "whether column '{}' is a length",
                              name),
                  "say it in the record: position3, offset3, direction3 or fixed3 in the place of "
                  "vec3, scaled<1> of a length that is a number");
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

Mesh posed(Mesh mesh, const Vec3 &middle, double scale, const Matrix3 &m) {
  const bool turns = m != noRotation;
  const auto vector = [&](const Vec3 &v, double factor, bool moves, bool turning) {
    const Vec3 p = factor * (moves ? v - middle : v);
    return turns && turning ? times(m, p) : p;
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

Mesh rotated(const Mesh &mesh, const Matrix3 &matrix) { return posed(mesh, {}, 1, matrix); }

} // namespace facet::runtime
